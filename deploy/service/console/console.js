"use strict";(()=>{var w,qn,Yt,pe,Kt,ct,Xn,st,zn,Zt,Qt,La,He=Symbol.for("pv"),ut={},dt=[],Na=/^m(i|n|o|s|text|space)$/,en=Array.isArray,tn=dt.slice,Se=Object.assign;function ke(e){
e&&e.parentNode&&e.remove()}function Fn(e,t,o){var a,r,i,s={},l=arguments.length;for(i in t)i=="key"?a=t[i]:i=="ref"&&typeof e!="function"?r=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?tn.call(arguments,2):o),Fe(e,s,a,r,null)}function Fe(e,t,o,a,r){var i={type:e,props:t,key:o,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:He,__v:r||++qn,__i:-1,__u:0};return!r&&w.vnode&&w.
vnode(i),i}function f(e){return e.children}function $e(e,t){this.props=e,this.context=t,this.__g=0}function me(e,t){if(t==null)return e.__&&me(e.__,e.__i+1);for(var o;t<e.
__k.length;t++)if((o=e.__k[t])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:me(e)}function Oa(e){var t,o=e.__v,a=o.__e,r=[],i=[],s=e.__P;
s&&((t=Se({constructor:He},o)).__v=o.__v+1,w.vnode&&w.vnode(t),nn(s,t,o,e.__n,s.namespaceURI,32&o.__u?[a]:null,r,a||me(o),32&o.__u,i),t.__v=o.__v,t.__.__k[t.__i]=
t,Gn(r,t,i),o.__=o.__e=null,t.__e!=a&&Hn(t))}function Hn(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
Hn(e)}function Jn(e){(8&e.__g||(e.__g|=8,pe.push(e),ct++))&&Kt==w.debounceRendering||((Kt=w.debounceRendering)||queueMicrotask)(Dn)}function Dn(){try{for(var e,
t=1;pe.length;)pe.length>t&&pe.sort(Xn),e=pe.shift(),t=pe.length,8&e.__g&&Oa(e)}finally{(ct=pe.length)&&(Kt||queueMicrotask)(Dn)}}function Un(e,t,o,a,r,i,s,l,u,d,p){
var v,g,c,y,N,E,$=a.__k||dt,x=t.length;for(u=Ia(o,t,$,u,x),v=0;v<x;v++)(c=o.__k[v])!=null&&(g=~c.__i&&$[c.__i]||ut,c.__i=v,E=nn(e,c,g,r,i,s,l,u,d,p),y=c.__e,(g.
ref!=c.ref||8&g.__u)&&(g.ref&&on(g.ref,null,c,g),c.ref&&p.push(c.ref,c.__c||y,c)),N=N||y,4&c.__u?(u=jn(c,u,e,!g.__v),g.__e&&(g.__e=null)):typeof c.type=="functi\
on"&&E!==void 0?u=E:y&&(u=y.nextSibling),c.__u&=-21);return o.__e=N,u}function Ia(e,t,o,a,r){var i,s,l,u,d,p,v,g,c,y=o.length,N=y,E=0,$=0,x=e.__k=Array(r);for(i=
0;i<r;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=x[i]=Fe(null,s):en(s)?s=x[i]=Fe(f,{children:s}):
s.constructor===He&&s.__b?s=x[i]=Fe(s.type,s.props,s.key,s.ref,s.__v):x[i]=s,u=i+E,s.__=e,s.__b=e.__b+1,l=null,~(d=s.__i=Ja(s,o,u,N))&&(N--,(l=o[d])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,d==u-1?E--:d==u+1?E++:d!=u&&(d>u?E--:E++,$=1)):(~d||(r>y?E--:r<y&&E++),typeof s.type!="function"&&(s.__u|=4))):x[i]=null;if($){for(p=[],v=[],
i=0;i<r;i++)if((s=x[i])&&16&s.__u){for(E=0,g=p.length;E<g;)p[c=E+g>>1]<s.__i?E=c+1:g=c;p[E]=s.__i,v[i]=E+1}for(E=p.length;i--;)v[i]&&(v[i]==E?E--:x[i].__u|=4)}if(N)
for(i=0;i<y;i++)!(l=o[i])||2&l.__u||(l.__e==a&&(a=me(l)),an(l,l));return a}function jn(e,t,o,a){var r,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&(r[i].__=e,t=jn(r[i],t,o,!1));return t}for(t&&!t.parentNode&&(t=me(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!a&&o.moveBefore&&s.parentNode?o.moveBefore(s,t):o.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function Ja(e,t,o,a){var r,i=e.key,s=e.type,l=t[o],u=l&&!(2&l.__u);if(l===null&&i==null||u&&i==l.key&&s==l.type)return o;if(a>(u?1:0)){for(r=o-1;r>=0;r--)if((l=
t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r;for(r=o+1;r<t.length;r++)if((l=t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r}return-1}function Wn(e,t,o){o==null&&
(o=""),t[0]=="-"?e.setProperty(t,o):e[t]=o}function it(e,t,o,a,r){var i,s;if(t=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof a=="string"&&(e.style.
cssText=a=""),a)for(t in a)o&&t in o||Wn(e.style,t);if(o)for(t in o)a&&o[t]==a[t]||Wn(e.style,t,o[t])}else if(t[0]=="o"&&t[1]=="n")typeof o!="function"&&(o=null),
typeof a!="function"&&(a=null),(e.__e||(e.__e={}))[t]=o,o&&a||(s=Qt[t]||(Qt[t]=Wa(t)),(e.__a||(e.__a={}))[t]=Zt,i=t!=(t=t.replace(zn,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),o?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(r=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&o==1?"":o)}}function Wa(e){
return function(t){var o=this.__e;if(o){if(o=o[e],t[st]==null)t[st]=Zt++;else if(t[st]<this.__a[e])return;return o(w.event?w.event(t):t)}}}function nn(e,t,o,a,r,i,s,l,u,d){
var p,v,g,c,y,N,E,$,x,q,B,Gt,On,rt,we,In,de,xe,ae=t.type;if(t.constructor!==He)return null;128&o.__u&&(u=32&o.__u,p=o.__c.__z)&&(t.__u|=u,v=i=[],p.nodeType==8?l=
lt(p,i):i.push(p),l=i[0]||l),(p=w.__b)&&p(t);e:if(typeof ae=="function"){g=s.length;try{if($=t.props,x=(p=ae.prototype)&&p.render,q=(p=ae.contextType)&&a[p.__c],
B=p?q?q.props.value:p.__:a,(c=o.__c)?(t.__c=c,2&c.__g&&(c.__g|=1)):(x?t.__c=c=new ae($,B):(t.__c=c=new $e($,B),c.constructor=ae,c.render=Xa),q&&q.sub(c),c.state||
(c.state={}),c.__n=a,c.__g|=8,c.__h=[],c.__k=[]),x&&(c.__s||(c.__s=c.state),ae.getDerivedStateFromProps&&(c.__s==c.state&&(c.__s=Se({},c.__s)),Se(c.__s,ae.getDerivedStateFromProps(
$,c.__s)))),y=c.props,N=c.state,c.__v=t,o.__c){if($!==y&&x&&!ae.getDerivedStateFromProps&&c.componentWillReceiveProps&&c.componentWillReceiveProps($,B),t.__v==o.
__v&&!(8&c.__g)||!(4&c.__g)&&c.shouldComponentUpdate&&c.shouldComponentUpdate($,c.__s,B)===!1){t.__v!=o.__v&&(c.props=$,c.state=c.__s,c.__g&=-9),t.__e=o.__e,t.__k=
o.__k,t.__k.some(function(K){K&&(K.__=t)}),dt.push.apply(c.__h,c.__k),c.__k=[],c.__h.length&&s.push(c),l=me(o);break e}c.componentWillUpdate&&c.componentWillUpdate(
$,c.__s,B),x&&c.componentDidUpdate&&c.__h.push(function(){c.componentDidUpdate(y,N,E)})}else x&&!ae.getDerivedStateFromProps&&c.componentWillMount&&c.componentWillMount(),
x&&c.componentDidMount&&c.__h.push(c.componentDidMount);c.context=B,c.props=$,c.__P=e,c.__g&=-5,Gt=w.__r,On=x?25:0;do c.__g&=-9,Gt&&Gt(t),p=c.render(c.props,c.state=
c.__s,c.context);while(8&c.__g&&++On<25);x&&(dt.push.apply(c.__h,c.__k),c.__k=[]),c.state=c.__s,c.getChildContext&&(a=Se({},a,c.getChildContext())),x&&o.__c&&c.
getSnapshotBeforeUpdate&&(E=c.getSnapshotBeforeUpdate(y,N)),rt=p&&p.type===f&&p.key==null?p.props.children:p,$.__P&&(p=l,r=(e=$.__P).namespaceURI,u=i=null,o.props&&
o.props.__P!=e&&(o.__k.some(function(K){K&&an(K,K)}),o.__k=null),l=o.__k?me(o,0):null),l=Un(e,en(rt)?rt:[rt],t,o,a,r,i,s,l,u,d),$.__P&&(t.__e=null,l=p),t.__u&=-161,
v&&v.some(ke),c.__h.length&&s.push(c),1&c.__g&&(c.__g&=-4)}catch(K){if(s.length=g,t.__v=null,u||i)if(K&&K.then){if(t.__u|=128|u,i){for(~(de=i.indexOf(l||void 0))||
(de=i.length);(xe=i[de-1])&&xe.nodeType==8;)de--;for(;de<i.length;de++)if(xe=i[de])if(i[de]=null,we){if(xe==In)break}else{if(xe.nodeType!=8)break;xe.data.startsWith(
"$s")&&(In=lt(we=xe))}}if(!we){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;we=l}(p=lt(we=t.__c.__z||(t.__c.__z=we)))?(t.__e=we,l=p):t.__e=l,l=l&&l.nextSibling}else
i&&i.some(ke);else t.__e=o.__e;t.__k||(t.__k=o.__k||[]),K&&K.then||Vn(t),w.__e(K,t,o)}}else l=t.__e=qa(o.__e,t,o,a,r,i,s,u,d,e);return(p=w.diffed)&&p(t),l}function lt(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)
return e}t&&t.push(e)}}function Vn(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Vn))}function Gn(e,t,o){for(var a=0;a<o.length;)on(o[a++],o[a++],o[a++]);w.__c&&
w.__c(t,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(i){i.call(r)})}catch(i){w.__e(i,r.__v)}})}function qa(e,t,o,a,r,i,s,l,u,d){var p,v,g,c,y,N,E,
$,x=o.props||ut,q=t.props,B=t.type;if(B=="svg"?r="http://www.w3.org/2000/svg":B=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xht\
ml"),i){for(p=0;p<i.length;p++)if((y=i[p])&&(B?y.localName==B:y.nodeType==3)){e=y,i[p]=null;break}}if(!e){if($=d.ownerDocument||document,!B)return $.createTextNode(
q);e=$.createElementNS(r,B,q.is?q:d),l&&(w.__m&&w.__m(t,i),l=!1),i=null}if(B){if(d=B=="template"&&e.content||e,i=B=="textarea"&&q.defaultValue!=null?null:i&&tn.
call(d.childNodes),!l&&i)for(x={},p=0;p<e.attributes.length;p++)x[(y=e.attributes[p]).name]=y.value;for(p in x)y=x[p],p=="dangerouslySetInnerHTML"?g=y:p=="child\
ren"||p in q||p=="value"&&"defaultValue"in q||p=="checked"&&"defaultChecked"in q||it(e,p,null,y,r);for(p in q)y=q[p],p=="children"?c=y:p=="dangerouslySetInnerHT\
ML"?v=y:p=="value"?N=y:p=="checked"?E=y:l&&typeof y!="function"||x[p]===y||it(e,p,y,x[p],r);v?(l||g&&(v.__html==g.__html||v.__html==e.innerHTML)||(e.innerHTML=v.
__html),t.__k=[]):(g&&(e.textContent=""),(B=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Na.test(B))&&(r="http://www.w3.org/1999/xhtml"),Un(d,en(c)?
c:[c],t,o,a,r,i,s,i?i[0]:o.__k&&me(o,0),l,u),i&&i.some(ke)),l&&B!="textarea"||(p="value",B=="progress"&&N==null?e.removeAttribute(p):N==null||N===e[p]&&(B!="pro\
gress"||N)||it(e,p,N,x[p],r),p="checked",E!=null&&E!=e[p]&&it(e,p,E,x[p],r))}else x===q||l&&e.data==q||(e.data=q);return e}function on(e,t,o,a){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:a&&(a=a.__c||a.__e)&&(t=a.__x)&&(a.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(r){w.__e(r,o)}}function an(e,t,o){var a,
r,i,s;if(w.unmount&&w.unmount(e),!(a=e.ref)||a.current&&a.current!=e.__e||on(a,null,t,e),a=e.__c){if(a.componentWillUnmount)try{a.componentWillUnmount()}catch(l){
w.__e(l,t)}a.__P=a.__n=null}if(a=e.__k)for(s=0;s<a.length;s++)a[s]&&an(a[s],t,typeof e.type!="function"||o&&!e.props.__P);!o&&(a=e.__c)&&(a=a.__z)&&(r=lt(a,i=[]))&&
(a==e.__e&&i.some(ke),ke(r),ke(a)),o||ke(e.__e),e.__e=e.__c=e.__=null}function Xa(e,t,o){return this.constructor(e,o)}function Kn(e,t){var o,a,r,i;w.__&&w.__(e,
t),t.nodeType==9&&(t=t.documentElement),a=(o=e&&32&e.__u)?null:t.__k,t.__k=Fe(f,{children:[e]}),r=[],i=[],nn(t,t.__k,a||ut,ut,t.namespaceURI,a?null:t.firstChild?
tn.call(t.childNodes):null,r,a?a.__e:t.firstChild,o,i),Gn(r,t.__k,i),t.__k.props.children=null}w={__e:function(e,t,o,a){for(var r,i,s;t=t.__;)if((r=t.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(i=r.constructor)&&i.getDerivedStateFromError)&&r.setState(i.getDerivedStateFromError(
e)),r.componentDidCatch&&(r.componentDidCatch(e,a||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(l){e=l}}throw ct=0,e}},qn=0,Yt=function(e){return e!=null&&e.
constructor===He},$e.prototype.setState=function(e,t){var o=this.__s;o&&o!=this.state||(o=this.__s=Se({},this.state)),typeof e=="function"&&(e=e(Se({},o),this.props)),
e&&(Se(o,e),this.__v&&(t&&this.__k.push(t),Jn(this)))},$e.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Jn(this))},$e.prototype.render=
f,pe=[],ct=0,Xn=function(e,t){return e.__v.__b-t.__v.__b},st=Symbol(),zn=/(PointerCapture)$|Capture$/i,Zt=0,Qt={},La=0;var Re,F,rn,Qn,za=Object.is,sn=0,io=[],ln=[],O=w,Yn=O.__b,Zn=O.__r,eo=O.diffed,to=O.__c,no=O.unmount,oo=O.__;function pt(e,t){O.__h&&O.__h(F,e,sn||t),sn=0;var o=F.
__H||(F.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function A(e,t){var o=pt(Re++,3);!O.__s&&un(o.__H,t)&&(o.__P=!0,o.__=e,o.u=t,F.__H.__h.push(o))}function Ue(e,t){var o=pt(Re++,4);!O.__s&&un(o.__H,t)&&(o.__P=!1,
o.__=e,o.u=t,F.__h.push(o))}function Q(e){return sn=5,te(function(){return{current:e}},[])}function te(e,t){var o=pt(Re++,7);return un(o.__H,t)&&(o.__=e(),o.__H=t),o.__}function so(){var e=pt(Re++,11);if(!e.__){for(var t=F.__v;!t.__m&&t.__;)t=t.__;var o=t.__m||(t.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function Fa(){var e;
do{for(;e=ln.shift();)try{De(e)}catch(o){O.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=io.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(De),t.__h.some(cn),t.__h=[]}catch(o){
t.__h=[],O.__e(o,e.__v)}}}while(ln.length)}O.__b=function(e){F=null,Yn&&Yn(e)},O.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),oo&&oo(e,t)},O.__r=function(e){
Zn&&Zn(e),Re=0;var t=(F=e.__c).__H;t&&(rn==F?F.__h=[]:(t.__h.some(De),t.__h.some(cn),Re=0),t.__h=[],t.__.some(function(o){o.__N&&(o.__=o.__N),o.u=o.__N=void 0})),
rn=F},O.diffed=function(e){eo&&eo(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&ro(io.push(t)),t.__H.__.some(function(o){o.u&&(o.__H=o.u)})),rn=F=null},O.__c=function(e,t){
t.some(function(o){try{o.__h.some(De),o.__h=o.__h.filter(function(a){return!a.__||cn(a)})}catch(a){o.__h=[function(){throw a}]}}),to&&to(e,t)},O.unmount=function(e){
no&&no(e);var t,o,a=e.__c;a&&a.__H&&(a.__H.__.some(function(r){try{if(r.__P&&r.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.__c.__P);)o=o.__;o=o&&o.__c}r.__P=o,
ro(ln.push(r))}else De(r)}catch(i){t=i}}),a.__H=void 0,t&&O.__e(t,a.__v))};var ao=typeof requestAnimationFrame=="function";function Ha(e){var t,o=function(){clearTimeout(
a),ao&&cancelAnimationFrame(t),setTimeout(e)},a=setTimeout(o,35);ao&&(t=requestAnimationFrame(o))}function ro(e){e!=1&&Qn==O.requestAnimationFrame||((Qn=O.requestAnimationFrame)||
Ha)(Fa)}function De(e){var t=F,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),F=t}function cn(e){var t=F;e.__c=e.__(),F=t}function un(e,t){return!e||e.length!=
t.length||t.some(function(o,a){return!za(o,e[a])})}var Da=Symbol.for("preact-signals");function gt(){if(re>1)re--;else{var e,t=!1;for((function(){var r=ft;for(ft=void 0;r!==void 0;){var i=r.S;if(i.v===r.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===r.i&&(s.i=i.i);r=r.o}})();Ve!==void 0;){var o=Ve;for(Ve=void 0,mt++;o!==void 0;){var a=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&co(o))try{o.
c()}catch(r){t||(e=r,t=!0)}o=a}}if(mt=0,re--,t)throw e}}function Be(e){if(re>0)return e();dn=++Ua,re++;try{return e()}finally{gt()}}var je,M=void 0;function Ge(e){
var t=M,o=je;M=void 0,je=void 0;try{return e()}finally{M=t,je=o}}var Ve=void 0,re=0,mt=0,Ua=0,dn=0,ft=void 0,ht=0;function lo(e){if(M!==void 0){var t=e.n;if(t===
void 0||t.t!==M)return t={i:0,S:e,p:M.s,n:void 0,t:M,e:void 0,x:void 0,r:t},M.s!==void 0&&(M.s.n=t),M.s=t,e.n=t,32&M.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=M.s,t.n=void 0,M.s.n=t,M.s=t),t}}function J(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}J.prototype.brand=Da;J.prototype.h=function(){return!0};J.prototype.S=function(e){var t=this,o=this.t;o!==e&&e.
e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:Ge(function(){var a;(a=t.W)==null||a.call(t)}))};J.prototype.U=function(e){var t=this;if(this.t!==void 0){var o=e.e,
a=e.x;o!==void 0&&(o.x=a,e.e=void 0),a!==void 0&&(a.e=o,e.x=void 0),e===this.t&&(this.t=a,a===void 0&&Ge(function(){var r;(r=t.Z)==null||r.call(t)}))}};J.prototype.
subscribe=function(e){var t=this;return ie(function(){var o=t.value;Ge(function(){return e(o)})},{name:"sub"})};J.prototype.valueOf=function(){return this.value};
J.prototype.toString=function(){return this.value+""};J.prototype.toJSON=function(){return this.value};J.prototype.peek=function(){var e=this;return Ge(function(){
return e.value})};Object.defineProperty(J.prototype,"value",{get:function(){var e=lo(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){
if(mt>100)throw new Error("Cycle detected");(function(o){re!==0&&mt===0&&o.l!==dn&&(o.l=dn,ft={S:o,v:o.v,i:o.i,o:ft})})(this),this.v=e,this.i++,ht++,re++;try{for(var t=this.
t;t!==void 0;t=t.x)t.t.N()}finally{gt()}}}});function b(e,t){return new J(e,t)}function co(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.
i)return!0;return!1}function uo(e){for(var t=e.s;t!==void 0;t=t.n){var o=t.S.n;if(o!==void 0&&(t.r=o),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function po(e){
for(var t=e.s,o=void 0;t!==void 0;){var a=t.p;t.i===-1?(t.S.U(t),a!==void 0&&(a.n=t.n),t.n!==void 0&&(t.n.p=a)):o=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=a}e.s=
o}function Ee(e,t){J.call(this,void 0,t),this.x=e,this.s=void 0,this.g=ht-1,this.f=4}Ee.prototype=new J;Ee.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;
if((36&this.f)==32||(this.f&=-5,this.g===ht))return!0;if(this.g=ht,this.f|=1,this.i>0&&!co(this))return this.f&=-2,!0;var e=M;try{uo(this),M=this;var t=this.x();
(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return M=e,po(this),this.f&=-2,!0};Ee.prototype.S=function(e){
if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}J.prototype.S.call(this,e)};Ee.prototype.U=function(e){if(this.t!==void 0&&(J.prototype.
U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};Ee.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==
void 0;e=e.x)e.t.N()}};Object.defineProperty(Ee.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=lo(this);if(this.h(),e!==void 0&&
(e.i=this.i),16&this.f)throw this.v;return this.v}});function V(e,t){return new Ee(e,t)}function mo(e){var t=e.j;if(e.j=void 0,typeof t=="function"){re++;var o=M;
M=void 0;try{t()}catch(a){throw e.f&=-2,e.f|=8,pn(e),a}finally{M=o,gt()}}}function pn(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,mo(e)}function ja(e){
if(M!==this)throw new Error("Out-of-order effect");po(this),M=e,this.f&=-2;try{8&this.f&&pn(this)}finally{gt()}}function Le(e,t){this.x=e,this.j=void 0,this.s=void 0,
this.u=void 0,this.f=32,this.name=t?.name,je&&je.push(this)}Le.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==
"function"&&(this.j=t)}finally{e()}};Le.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,mo(this),uo(this),re++;var e=M;
return M=this,ja.bind(this,e)};Le.prototype.N=function(){2&this.f||(this.f|=2,this.u=Ve,Ve=this)};Le.prototype.d=function(){this.f|=8,1&this.f||pn(this)};Le.prototype.
dispose=function(){this.d()};function ie(e,t){var o=new Le(e,t);try{o.c()}catch(r){throw o.d(),r}var a=o.d.bind(o);return a[Symbol.dispose]=a,a}var fo,Qe,vt,Va=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var ho=[];ie(function(){fo=this.N})();function Ne(e,t){w[e]=t.bind(null,w[e]||function(){})}function Ke(e){if(vt){var t=vt;vt=void 0,t()}vt=e&&e.S()}function go(e){
var t=this,o=e.data,a=_(o);a.name="ReactiveDom",a.value=o;var r=te(function(){for(var l=t,u=t.__v;u=u.__;)if(u.__c){u.__c.__$f|=4;break}var d=V(function(){var c=a.
value.value;return c===0?0:c===!0?"":c||""}),p=V(function(){return!Array.isArray(d.value)&&!Yt(d.value)}),v=ie(function(){if(this.N=vo,p.value){var c=d.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=c)}}),g=t.__$u.d;return t.__$u.d=function(){v(),g.call(this)},[p,d]},[]),i=r[0],s=r[1];return i.value?s.
peek():s.value}go.displayName="ReactiveTextNode";Object.defineProperties(J.prototype,{constructor:{configurable:!0,value:Fn(f,null).constructor},type:{configurable:!0,
value:go},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Ne("__b",function(e,t){if(Ke(),
Qe=void 0,typeof t.type=="string"){var o,a=t.props;for(var r in a)if(r!=="children"){var i=a[r];i instanceof J&&(o||(t.__np=o={}),o[r]=i,a[r]=i.peek())}}e(t)});
Ne("__r",function(e,t){if(e(t),t.type!==f){Ke();var o,a=t.__c;a&&(a.__$f&=-2,(o=a.__$u)===void 0&&(a.__$u=o=(function(r,i){var s;return ie(function(){s=this},{name:i}),
s.c=r,s})((function(r){return function(){var i;Va&&((i=this.y)==null||i.call(this)),r.__$f|=1,r.setState({})}})(a),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Qe=a,Ke(o)}});Ne("__e",function(e,t,o,a){Ke(),Qe=void 0,e(t,o,a)});Ne("diffed",function(e,t){Ke(),Qe=void 0;var o;if(typeof t.type=="string"&&
(o=t.__e)){var a=t.__np,r=t.props,i=o.U;if(i)for(var s in i){var l=i[s];l===void 0||a&&s in a||(l.d(),i[s]=void 0)}if(a){i||(i={},o.U=i);for(var u in a){var d=i[u],
p=a[u];d===void 0?(d=Ga(o,u,p,r),i[u]=d):d.o(p,r)}}}e(t)});function Ga(e,t,o,a){var r=t in e&&e.ownerSVGElement===void 0,i=b(o);return{o:function(s,l){i.value=s,
a=l},d:ie(function(){this.N=vo;var s=i.value.value;a[t]!==s&&(a[t]=s,r?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}Ne("unm\
ount",function(e,t){if(typeof t.type=="string"){var o=t.__e;if(o){var a=o.U;if(a){o.U=void 0;for(var r in a){var i=a[r];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var u in s)l[u]=s[u]}t.__np=void 0}else{var d=t.__c;if(d){d.__$f|=8;var p=d.__$u;p&&(d.__$u=void 0,p.d())}}e(t)});Ne("__h",function(e,t,o,a){a<3&&(t.__$f|=2),
e(t,o,a)});$e.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var o=this.__$u,a=o&&o.s!==void 0;for(var r in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(a||i||4&this.__$f)||1&this.__$f)return!0}else if(!(a||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function _(e,t){return te(function(){return b(e,t)},[])}function Ce(e,t){
var o=Q(e);return o.current=e,Qe.__$f|=4,te(function(){return V(function(){return o.current()},t)},[])}var Ka=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Qa(){Be(function(){for(var e;e=ho.shift();)fo.call(e)})}function vo(){ho.push(this)===1&&(w.requestAnimationFrame||Ka)(Qa)}var yo="manyhands-theme",Ye=b(Ya());function Ya(){try{let e=localStorage.getItem(yo);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function bo(e){
Ye.value=e;try{localStorage.setItem(yo,e)}catch{}mn()}function mn(){let e=document.documentElement;Ye.value==="system"?delete e.dataset.theme:e.dataset.theme=Ye.
value,_o.value+=1}var _o=b(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{_o.value+=1});var Oe=b(fn(location.hash)),yt=V(()=>Oe.value);addEventListener("hashchange",()=>{Oe.value=fn(location.hash)});function fn(e){let t=e.replace(/^#\/?/,""),o=t.indexOf(
"?"),a=(o<0?t:t.slice(0,o)).split("/").filter(Boolean).map(Za),r=Object.create(null);if(o>=0)for(let[i,s]of new URLSearchParams(t.slice(o+1)))s&&(r[i]=s);return{
path:a,choices:r}}function Za(e){try{return decodeURIComponent(e)}catch{return e}}function G(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&o.set(r,String(i));let a=o.toString();return`#/${e.map(encodeURIComponent).join("/")}${a&&`?${a}`}`}function Ze(e,t={},{replace:o=!1}={}){
let a=G(e,t);a!==location.hash&&(o?history.replaceState(null,"",a):history.pushState(null,"",a),Oe.value=fn(a))}function z(e,{replace:t=!0}={}){Ze(Oe.value.path,
{...Oe.value.choices,...e},{replace:t})}function k(e,t=""){return Oe.value.choices[e]??t}var se=class extends Error{constructor(o){super(o.detail||o.title);this.problem=o;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},wo={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function bt(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let o=await e.json();return typeof o=="object"&&o!==null?
{...t,...o}:t}catch{return t}}function ne(e){return e instanceof se?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var er="/api/v1",tr=3e4,_t=new Set;function ko(e){return _t.add(e),()=>_t.delete(e)}function Pe(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(
t))i!=null&&i!==""&&o.set(r,String(i));let a=o.toString();return`${er}${e}${a?`?${a}`:""}`}var T=encodeURIComponent;async function wt(e,t={}){let o={Accept:"app\
lication/json",...t.headers},a;t.text?(o["Content-Type"]=t.text.type,a=t.text.content):t.body!==void 0&&(o["Content-Type"]="application/json",a=JSON.stringify(t.
body));let r=AbortSignal.timeout(tr),i=t.signal?AbortSignal.any([t.signal,r]):r,s;try{s=await fetch(Pe(e,t.query),{method:t.method??"GET",headers:o,signal:i,credentials:"\
same-origin",...a===void 0?{}:{body:a}})}catch(l){throw t.signal?.aborted?l:xo(new se(wo))}if(!s.ok&&s.status!==304)throw xo(new se(await bt(s)));return _t.forEach(
l=>l(null)),s}async function R(e,t,o){let a={...t?{query:t}:{},...o?{signal:o}:{}};return await(await wt(e,a)).json()}async function X(e,t,o){let a=await wt(t,{
method:e,...o===void 0?{}:{body:o}});return a.status===204?void 0:await a.json()}function xo(e){return _t.forEach(t=>t(e)),e}var Y=b({kind:"asking"}),So=V(()=>Y.value),hn=["read","submit","operate","approve"],Eo={read:"look at everything",submit:"submit work, and change your own",operate:"\
change everybody's work, and phones",approve:"change everybody's work, and phones"};function gn(){return Y.value.kind==="in"?Y.value.status.role:null}function fe(){
return Y.value.kind==="in"?Y.value.status.owner:""}function Te(e,t){let o=gn();if(o===null)return"Sign in first.";let a=hn.indexOf(o);return a<hn.indexOf(e)?`Yo\
ur role is ${o}. This needs the role ${e}.`:t!==void 0&&t!==fe()&&a<hn.indexOf("operate")?`This belongs to ${t}. To change the work of others, you need the role\
 operate.`:null}async function Co(){ko(t=>{t?.needsSignIn&&Y.value.kind==="in"&&(Y.value={kind:"out",problem:t.problem})});let e=nr();if(e!==null)return await vn(
e);try{Y.value={kind:"in",status:await R("/session")}}catch(t){let o=ne(t);Y.value={kind:"out",problem:o.status===401?null:o}}}async function vn(e){try{let t=await wt(
"/session",{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});Y.value={kind:"in",status:await t.json()}}catch(t){Y.value={kind:"out",problem:ne(t)}}}
async function Po(){await X("DELETE","/session"),Y.value={kind:"out",problem:null}}function nr(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);return e===
null?null:(Ze([],{},{replace:!0}),decodeURIComponent(e[1]??"")||null)}var To=b(Date.now()/1e3),or,he=V(()=>To.value);function Ao(){or??=setInterval(()=>{document.hidden||(To.value=Date.now()/1e3)},1e3)}var ar=Symbol.for("pv"),rr=0;function n(e,t,o,a,r,i){t||(t={});var s,l,u=t;if("ref"in u&&typeof e!="function")for(l in u={},t)l=="ref"?s=t[l]:u[l]=t[l];var d={type:e,props:u,key:o,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:ar,__v:--rr,__i:-1,__u:0};return(r||i)&&(d.__source=r,d.__self=i),w.vnode&&w.vnode(d),d}var ir={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
clock:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.8V8l2.2 1.6",phone:"M5 1.8h6a1 1 0 011 1v10.4a1 1 0 01-1 1H5a1 1 0 01-1-1V2.8a1 1 0 011-1zM7 12.2h2",search:"M7 11.5a\
4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.4 10.4L14 14",filter:"M2.5 4h11M4.5 8h7M6.5 12h3",up:"M4 9.5l4-4 4 4",down:"M4 6.5l4 4 4-4",left:"M9.8 4l-4 4 4 4",right:"M6\
.2 4l4 4-4 4",sort:"M5 6l3-3 3 3M5 10l3 3 3-3",play:"M5 3.2v9.6L12.8 8z",pause:"M5.5 3.5v9M10.5 3.5v9",stop:"M4 4h8v8H4z",first:"M11.5 4l-4 4 4 4M4.5 4v8",last:"\
M4.5 4l4 4-4 4M11.5 4v8",copy:"M6 5.5h7v8H6zM10 5.5v-3H3v8h3",link:"M6.8 9.2l2.6-2.6M7.2 4.9l1.3-1.3a2.8 2.8 0 014 4l-1.6 1.6M8.8 11.1l-1.3 1.3a2.8 2.8 0 01-4-4\
l1.6-1.6",external:"M9.5 2.8h3.7v3.7M13 3L7.5 8.5M11.5 9.5v3.7h-8.7V4.5h3.7",menu:"M2.5 4.5h11M2.5 8h11M2.5 11.5h11",more:"M3.5 8h.1M8 8h.1M12.5 8h.1",retry:"M1\
3 8a5 5 0 11-1.6-3.7M13 2.5V5h-2.5",hand:"M5 8V4a1 1 0 012 0v3.5V3a1 1 0 012 0v4.5V4a1 1 0 012 0v5.5a4.3 4.3 0 01-4.3 4.3c-2 0-2.8-1-3.7-2.8L2.2 8.7A1 1 0 013.9\
 7.6L5 9.3",grid:"M2.5 2.5h4.4v4.4H2.5zM9.1 2.5h4.4v4.4H9.1zM2.5 9.1h4.4v4.4H2.5zM9.1 9.1h4.4v4.4H9.1z",list:"M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12\
h.1",chart:"M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",layers:"M8 2.2L14 5.5 8 8.8 2 5.5zM2.5 8.5L8 11.5l5.5-3M2.5 11L8 14l5.5-3",bolt:"M9 1.8L3.5 9H8l-1 5.2L12.\
5 7H8z",book:"M3 3h4a1 1 0 011 1v9.2a1 1 0 00-1-1H3zM13 3H9a1 1 0 00-1 1v9.2a1 1 0 011-1h4z",sun:"M8 10.7a2.7 2.7 0 100-5.4 2.7 2.7 0 000 5.4zM8 1.8v1.3M8 12.9v\
1.3M1.8 8h1.3M12.9 8h1.3M3.6 3.6l.9.9M11.5 11.5l.9.9M3.6 12.4l.9-.9M11.5 4.5l.9-.9",moon:"M13 9.5A5.5 5.5 0 016.5 3a5.3 5.3 0 106.5 6.5z",screen:"M2 3h12v8H2zM6\
 13.5h4",keyboard:"M1.8 4h12.4v8H1.8zM4.5 6.7h.1M7 6.7h.1M9.3 6.7h.1M11.6 6.7h.1M5 9.5h6",plus:"M8 3v10M3 8h10",minus:"M3 8h10",image:"M2.5 3h11v10h-11zM2.5 11l\
3.3-3.3 2.5 2.5 1.7-1.7 3.5 3.5M10.6 5.8h.1",coins:"M8 6.5c3 0 5-.9 5-2s-2-2-5-2-5 .9-5 2 2 2 5 2zM3 4.5v7c0 1.100 2 2 5 2s5-.9 5-2v-7M3 8c0 1.100 2 2 5 2s5-.9 \
5-2"};function h({name:e,size:t=16,label:o}){return n("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:o?"img":void 0,"aria-label":o,"aria-hidden":o?void 0:"true",focusable:"false",children:n("path",{d:ir[e]})})}var Mo=b([]),$o=V(()=>{let e=Mo.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function yn(e){
Mo.value=e}var xt=class{#t="";#e=[];#n=null;take(t){let o=[],a=(this.#t+t).split(/\r?\n/);this.#t=a.pop()??"";for(let r of a)this.#o(r,o);return o}#o(t,o){if(t===""){(this.#e.
length>0||this.#n!==null)&&o.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let a=t.indexOf(":");if(a===0)return;let r=a<0?t:t.slice(0,a),i=a<0?"":t.slice(a+1).replace(/^ /,"");r==="data"?this.#e.push(
i):r==="id"&&!i.includes("\0")&&(this.#n=i)}};var sr=500,lr=15e3,cr=4e4,ge=class{#t=b("connecting");#e;#n=new AbortController;#o=0;#s=null;#a=null;#i=!1;constructor(t){this.#e=t,addEventListener("online",this.#l),
addEventListener("offline",this.#r),document.addEventListener("visibilitychange",this.#c),this.#d()}get state(){return this.#t}close(){this.#i=!0,this.#t.value=
"closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#r),document.removeEventListener("visibilitychange",this.#c),this.#r(),this.#l()}#r=()=>this.#n.
abort();#l=()=>{this.#a?.()};#c=()=>{document.hidden?this.#r():this.#l()};async#d(){for(;!this.#i;){if(document.hidden){await this.#u(null);continue}try{await this.#p()}catch(o){
o instanceof se&&o.needsSignIn&&(this.#o=6)}if(this.#i)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.min(lr,sr*2**this.#o++);await this.#u(
t*(.75+Math.random()/2))}}async#p(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#s!==null&&(t["Last-Event-ID"]=this.#s);let o=Pe(this.#e.
path,this.#e.query?.()??{}),a=await fetch(o,{headers:t,signal:this.#n.signal,credentials:"same-origin"});if(!a.ok||a.body===null)throw new se(await bt(a));this.#o=
0,this.#t.value="open",this.#e.onOpen?.();let r=new xt,i=a.body.pipeThrough(new TextDecoderStream).getReader();for(;;){let s=setTimeout(this.#r,cr),{done:l,value:u}=await i.
read().finally(()=>clearTimeout(s));if(l)return;for(let d of r.take(u))d.id!==null&&(this.#s=d.id),d.data!==""&&this.#e.onEvent(d)}}#u(t){return new Promise(o=>{
let a=t===null?void 0:setTimeout(o,t);this.#a=()=>{clearTimeout(a),o()}}).then(()=>{this.#a=null})}};var ur=300,kt=new Set,St=null,bn=b([]);function Ie(e){return kt.add(e),()=>kt.delete(e)}function Ro(){return St??=new ge({path:"/events",onOpen:()=>kt.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>dr(JSON.parse(e))}),St}function Bo(){St?.close(),St=null,bn.value=[]}function dr(e){e.kind!=="task.step"&&(bn.value=[e,...bn.value].
slice(0,ur)),kt.forEach(t=>t.onEvent?.(e))}var le=new Map,et=b(0),_n=b(!1),Et=null,Ct=et,Pt=_n;function Lo(){return Et??=new ge({path:"/wall",onEvent:({data:e})=>pr(JSON.parse(e))}),Et}function No(){Et?.
close(),Et=null,le.clear(),Be(()=>{_n.value=!1,et.value++})}function Je(){return et.value,[...le.values()].map(e=>e.peek()).sort((e,t)=>hr(e.serial,t.serial))}function Tt(e){
return le.get(e)}function Oo(e){let t=le.get(e.serial);t!==void 0&&(t.value={...t.peek(),...e},et.value++)}function pr(e){Be(()=>{if(e.is_whole){let t=new Set(e.
phones.map(o=>o.serial));for(let o of le.keys())t.has(o)||le.delete(o)}for(let t of e.gone)le.delete(t);for(let t of e.phones)mr(t);_n.value=!0,et.value++})}function mr(e){
let t=le.get(e.serial);if(t===void 0){le.set(e.serial,b(e));return}let o=t.peek(),a=e.thumbnail==null&&o.screen===e.screen;t.value=a?{...e,thumbnail:o.thumbnail??
null}:e}var fr=new Intl.Collator("en",{numeric:!0});function hr(e,t){return fr.compare(e,t)}var gr=1500,vr=3e3;function Io(){let e=_("nothing"),t=$o.value;return A(()=>{if(t==="lost"&&e.value!=="lost"){let o=setTimeout(()=>e.value="lost",gr);return()=>clearTimeout(
o)}if(t==="connected"&&e.value==="lost"){e.value="back";let o=setTimeout(()=>e.value="nothing",vr);return()=>clearTimeout(o)}},[t]),n("div",{class:"connection",
role:"status",children:[e.value==="lost"&&n("p",{class:"connection-lost",children:[n(h,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&n("p",{class:"connection-back",children:[n(h,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function C({icon:e,label:t,kind:o="plain",pressed:a,children:r,class:i,...s}){return n("button",{type:"button",...s,class:`button button-${o}${e&&!r?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":a,children:[e&&n(h,{name:e}),r]})}var yr=new Intl.NumberFormat("en",{maximumFractionDigits:0}),Jo=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),br=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),Fs=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),ce="\u2013";function P(e){return e==
null?ce:yr.format(e).replace("-","\u2212")}function At(e){if(e==null||Number.isNaN(e))return ce;let t=Math.abs(e),o=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:o}).replace("-","\u2212")}function Ae(e){if(e==null||Number.isNaN(e))return ce;if(e<0)return"\u2212"+Ae(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return wn(Math.floor(t/60),"min",t%60,"s");let o=Math.round(e/60);if(o<1440)return wn(Math.floor(o/60),"h",o%60,"min");let a=Math.round(e/3600);
return wn(Math.floor(a/24),"d",a%24,"h")}function wn(e,t,o,a){let r=`${e}\xA0${t}`;return o?`${r}\xA0${o}\xA0${a}`:r}function Mt(e){if(e==null||Number.isNaN(e))
return ce;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?_r(t.toFixed(1)):Math.round(t)}\xA0%`}function _r(e){return e.replace(/\.0$/,"")}function Wo(e){return e==null?ce:Jo.format(e*1e3)}function j(e){return e==null?ce:`${br.format(e*1e3)}, ${Jo.format(e*1e3)}`}function D(e,t,o=`${t}s`){return`${P(e)}\xA0${e===1?t:o}`}var qo="Manyhands",wr=1500,xr=3e4,Me=b(null),tt=b(null),$t=b(""),Rt,xn=!1;function Xo(){xn=!0;let e=Ie({onEvent:o=>{kr(o)&&ve()},onOpen:()=>ve(0)}),t=ie(()=>{let o=Me.
value?.open??0;document.title=`${o>0?`(${o}) `:""}${$t.value?`${$t.value} \xB7 `:""}${qo}`});return zo(),()=>{xn=!1,clearTimeout(Rt),Rt=void 0,e(),t(),Me.value=
null,document.title=qo}}function ve(e=wr){clearTimeout(Rt),Rt=setTimeout(()=>{zo()},e)}async function zo(){try{Me.value=await R("/attention"),tt.value=null}catch(e){
tt.value=ne(e)}xn&&ve(xr)}function kr(e){return e.kind==="task.failed"||e.kind==="task.retried"||/^(phone|model)\./.test(e.kind)}function W(e){let t=_(!1),o=_(null),a=_(null),r=()=>{o.value=null,a.value=null};return{isRunning:t,problem:o,result:a,run:async(...s)=>{if(t.value)return!1;t.value=
!0,r();try{return a.value=await e(...s)??null,!0}catch(l){return o.value=ne(l),!1}finally{t.value=!1}},forget:r}}function S({problem:e,children:t}){return n("div",{class:"note note-bad",role:"alert",children:[n(h,{name:"warning"}),n("div",{class:"note-body",children:[n("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&n("p",{class:"said",children:e.detail}),e.mistakes.length>0&&n("ul",{class:"note-list",
children:e.mistakes.map(o=>n("li",{class:"said",children:o},o))}),t]})]})}function Z(e){let t=e.tone??"good";return n("div",{class:`note note-${t}`,role:"status",
children:[n(h,{name:t==="good"?"check":t==="warn"?"warning":"info"}),n("div",{class:"note-body",children:e.children})]})}var Sr=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function Fo(){let e=so(),
t=W(Po),o=gn();return n("div",{class:"person",children:[n("button",{type:"button",class:"person-button",popovertarget:e,"aria-label":`Signed in as ${fe()}: menu`,
children:[n("span",{class:"person-initial","aria-hidden":"true",children:fe().slice(0,1).toUpperCase()}),n("span",{class:"person-name",children:[n("span",{class:"\
clip",children:fe()}),n("span",{class:"person-role",children:o})]})]}),n("div",{id:e,class:"person-menu",popover:"auto",children:[n("p",{children:[n("strong",{class:"\
said",children:fe()}),n("br",{}),n("span",{class:"quiet",children:["Role ",o,": ",o&&Eo[o],"."]})]}),n("fieldset",{class:"person-themes",children:[n("legend",{children:"\
Colours"}),Sr.map(a=>n(C,{kind:"quiet",icon:a.icon,label:a.name,pressed:Ye.value===a.theme,onClick:()=>bo(a.theme)},a.theme))]}),n("a",{class:"person-link",href:"\
/docs",children:[n(h,{name:"book"})," All requests of this service"]}),n(C,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign out"}),t.problem.value&&
n(S,{problem:t.problem.value})]})]})}var m={fleet:(e={})=>G(["fleet"],e),phone:(e,t={})=>G(["phones",e],t),work:(e={})=>G(["work"],e),submit:(e={})=>G(["work","submit"],e),schedules:(e={})=>G(["wor\
k","schedules"],e),newSchedule:()=>G(["work","schedules","new"]),batch:(e,t={})=>G(["batches",e],t),task:e=>G(["tasks",e]),episode:(e,t={})=>G(["episodes",e],t),
attention:(e={})=>G(["attention"],e),health:(e={})=>G(["health"],e)};function Ho(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"schedu\
les":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var kn=6,Er=[{href:m.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:m.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:m.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:m.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:m.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:m.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function Uo(e,t,o){let a=e.
trim().toLowerCase(),r=Er.filter(s=>Bt(a,s.name,s.about));if(a==="")return o(r);let i=Je().filter(s=>Bt(a,s.serial,s.labels?.model,s.goal)).slice(0,kn).map(s=>{
let l=s.labels?.model??"";return{href:m.phone(s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});o([...i,...r]);try{let[s,l]=await Promise.all(
[Cr(a,t),Pr(a,t)]);t.aborted||o([...s,...l,...i,...r])}catch{}}function Bt(e,...t){return t.some(o=>o?.toLowerCase().includes(e))}async function Cr(e,t){return(await R(
"/batches",{limit:200},t)).items.filter(a=>Bt(e,a.id,a.name,a.owner,...a.tags)).slice(0,kn).map(a=>({href:m.batch(a.id),icon:"layers",name:a.name||a.id,about:`${a.
id} \xB7 ${a.owner} \xB7 ${a.phase}`}))}async function Pr(e,t){if(/^b\d+\.[a-z0-9_.-]+$/i.test(e))try{return[Do(await R(`/tasks/${T(e)}`,{},t))]}catch{return[]}
return(await R("/tasks",{phase:"running",limit:500},t)).items.filter(a=>Bt(e,a.id,a.goal,a.phone)).slice(0,kn).map(Do)}function Do(e){return{href:m.task(e.id),icon:"\
list",name:e.goal,about:`${e.id} \xB7 ${e.ending??e.phase}`}}var Sn=b(!1),Tr=120;function Lt(){Sn.value=!0}function Ar(e){let t=e.target;return t instanceof HTMLElement&&(t.isContentEditable||/^(INPUT|TEXTAREA|SELECT)$/.test(
t.tagName))}function jo(){return A(()=>{let e=t=>{let o=t.key==="/"&&!Ar(t)&&!t.ctrlKey&&!t.metaKey&&!t.altKey,a=t.key.toLowerCase()==="k"&&(t.ctrlKey||t.metaKey);
!o&&!a||(t.preventDefault(),Lt())};return addEventListener("keydown",e),()=>removeEventListener("keydown",e)},[]),Sn.value?n(Mr,{}):null}function Mr(){let e=Q(null),
t=_(""),o=_([]),a=_(0);A(()=>e.current?.showModal(),[]),A(()=>{let l=new AbortController,u=setTimeout(()=>{Uo(t.value,l.signal,d=>{o.value=d,a.value=0})},Tr);return()=>{
clearTimeout(u),l.abort()}},[t.value]);let r=()=>{Sn.value=!1},i=l=>{let u=o.value.length;if(l.key==="ArrowDown"&&u>0)a.value=(a.value+1)%u;else if(l.key==="Arr\
owUp"&&u>0)a.value=(a.value+u-1)%u;else if(l.key==="Enter"){let d=o.value[a.value];if(d===void 0)return;location.hash=d.href,r()}else return;l.preventDefault()},
s=o.value[a.value];return n("dialog",{ref:e,class:"palette","aria-label":"Search",onClose:r,onClick:l=>{l.target===e.current&&r()},children:[n("div",{class:"pal\
ette-field",children:[n(h,{name:"search"}),n("input",{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","\
aria-expanded":"true","aria-controls":"palette-found","aria-activedescendant":s?`palette-${a.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"\
off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.value=l.currentTarget.value,onKeyDown:i}),n("kbd",{children:"Esc"})]}),n("ul",{class:"palette-found",
id:"palette-found",role:"listbox","aria-label":"What was found",children:o.value.map((l,u)=>n("li",{id:`palette-${u}`,role:"option","aria-selected":u===a.value,
class:"palette-entry",onPointerMove:()=>a.value=u,onClick:()=>{location.hash=l.href,r()},children:[n(h,{name:l.icon}),n("span",{class:"clip",children:l.name}),n(
"span",{class:"palette-about clip",children:l.about})]},l.href))}),t.value!==""&&o.value.length===0&&n("p",{class:"palette-nothing quiet",children:"Nothing has \
these letters. Batches and tasks are found by name, goal or id."})]})}function Nt(){return n("span",{class:"wordmark",children:[n("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[n("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),n("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),n("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var $r=[{section:"fleet",name:"Fleet",icon:"phone",href:m.fleet()},{section:"work",name:"Work",icon:"layers",href:m.work()},{section:"attention",name:"Attention",
icon:"warning",href:m.attention()},{section:"health",name:"Health",icon:"chart",href:m.health()}];function Vo(){let e=Ho(yt.value.path);return n("header",{class:"\
navigation",children:[n("a",{class:"navigation-home",href:m.fleet(),"aria-label":"Manyhands, the fleet",children:n(Nt,{})}),n("button",{type:"button",class:"nav\
igation-search",onClick:Lt,children:[n(h,{name:"search"}),n("span",{children:"Search"}),n("kbd",{"aria-hidden":"true",children:"/"})]}),n("nav",{class:"navigati\
on-list","aria-label":"Sections",children:$r.map(t=>n("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[n(h,{name:t.
icon}),n("span",{class:"navigation-name",children:t.name}),n(Rr,{section:t.section})]},t.section))}),n("div",{class:"navigation-end",children:[n(C,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:Lt}),n(Fo,{})]})]})}function Rr({section:e}){if(e==="attention"){let o=Me.value?.open??0;return o===
0?null:n("span",{class:"navigation-count navigation-count-bad",children:[P(o),n("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")return null;
let t=Je();return t.length===0?null:n("span",{class:"navigation-count",children:[P(t.length),n("span",{class:"unseen",children:" phones"})]})}function H(e){return n("div",{class:"empty",children:[e.icon&&n(h,{name:e.icon,size:24}),n("p",{class:"empty-title",children:e.title}),e.children&&n("div",{class:"\
empty-text",children:e.children}),e.action]})}function U(e){return n("header",{class:"page-head",children:[n("div",{class:"page-title",children:[e.crumbs&&n("nav",{class:"crumbs","aria-label":"Where this pa\
ge is",children:e.crumbs.map(t=>n("span",{class:"crumb",children:[n("a",{href:t.href,class:"clip",children:t.name}),n(h,{name:"right",size:12})]},t.href))}),n("\
h1",{class:"said",children:e.title}),e.about&&n("p",{class:"page-about quiet",children:e.about})]}),e.actions&&n("div",{class:"page-actions",children:e.actions})]})}function oe(e){return n("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&n(h,{name:e.icon,size:12}),e.children]})}function I({needs:e,owner:t,...o}){let a=Te(e,t);return a===null?n(C,{...o}):n(C,{...o,"aria-disabled":"true",disabled:!0,title:a})}function Go({needs:e,owner:t,
what:o}){let a=Te(e,t);return a===null?null:n("p",{class:"role-note quiet",children:[n(h,{name:"info",size:14})," ",n("span",{children:[o,": ",a]})]})}function We({since:e}){let t=Ce(()=>Br(he.value-e));return n("span",{class:"num",children:t})}function ye({at:e}){let t=Ce(()=>Lr(he.value-e));return n("time",{
dateTime:new Date(e*1e3).toISOString(),title:new Date(e*1e3).toLocaleString("en-GB"),children:t})}function Br(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:
Ae(e)}function Lr(e){return e<5?"just now":`${nt(e)} ago`}function nt(e){let t=[[86400,"d"],[3600,"h"],[60,"min"]];for(let[o,a]of t)if(e>=o)return`${Math.floor(
e/o)}\xA0${a}`;return`${Math.max(1,Math.floor(e))}\xA0s`}var Nr={open:{tone:"accent",icon:"play",words:"open"},paused:{tone:"warn",icon:"pause",words:"paused"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"},ended:{
tone:"good",icon:"check",words:"ended"}};function Ot({phase:e,failed:t}){let o=e==="ended"&&t>0?{tone:"bad",icon:"cross",words:"has failures"}:Nr[e];return n(oe,
{tone:o.tone,icon:o.icon,children:o.words})}function be(e){return e.replaceAll("_"," ")}function Or(e){switch(e.phase){case"waiting":return{tone:"quiet",icon:"c\
lock",words:"waiting"};case"paused":return{tone:"warn",icon:"pause",words:"paused"};case"running":return{tone:"accent",icon:"play",words:"running"};case"ended":
return e.is_done?{tone:"good",icon:"check",words:"done"}:e.ending==="cancelled"?{tone:"quiet",icon:"stop",words:"cancelled"}:{tone:"bad",icon:"cross",words:e.ending===
"finished"?"not as checked":be(e.ending??"failed")}}}function It({task:e}){let t=Or(e);return n(oe,{tone:t.tone,icon:t.icon,children:t.words})}function qe(e){return e.
phase==="ended"&&!e.is_done&&e.ending!=="cancelled"}function Ko({cause:e}){let t=_(!1),o=W(async()=>{let l=await X("POST",`/attention/${T(e.id)}:retry`);return ve(),`${D(l.length,"task")} submitted again.`}),a=W(
async()=>{await X("POST",`/attention/${T(e.id)}:dismiss`),ve(0)}),r=o.isRunning.value||a.isRunning.value,i=o.problem.value??a.problem.value,s=e.episodes[0];return n(
"article",{class:"cause panel",children:[n("header",{class:"cause-head",children:[n("span",{class:"cause-count","aria-label":D(e.count,"task"),children:[P(e.count),
"\xD7"]}),n("div",{class:"cause-words",children:[n("h3",{class:"said",children:e.reason||be(e.ending)}),n("p",{class:"cause-about",children:[n(oe,{tone:"bad",icon:"\
cross",children:be(e.ending)}),e.app&&n("span",{class:"said",children:["in ",e.app]}),e.action&&n("span",{class:"said",children:["at ",e.action]}),n("span",{children:[
"last ",n(ye,{at:e.last_at})]}),e.count>1&&n("span",{children:["first ",n(ye,{at:e.first_at})]})]})]}),n("div",{class:"cause-actions",children:[s&&n("a",{class:"\
button button-primary",href:m.episode(s,{at:"failure"}),children:[n(h,{name:"play"})," Open the failure"]}),n(I,{needs:"submit",icon:"retry",disabled:r,onClick:()=>{
o.run()},children:e.count>1?`Retry all ${P(e.count)}`:"Retry"}),n(I,{needs:"submit",kind:"quiet",icon:"check",disabled:r,onClick:()=>{a.run()},children:"Dismiss"})]})]}),
i&&n(S,{problem:i}),o.result.value&&n(Z,{children:o.result.value}),e.tasks.length>1&&n(C,{kind:"quiet",icon:t.value?"up":"down","aria-expanded":t.value,onClick:()=>t.
value=!t.value,children:e.tasks.length<e.count?`The last ${e.tasks.length} tasks`:`All ${e.tasks.length} tasks`}),(t.value||e.tasks.length===1)&&n("ul",{class:"\
cause-tasks",children:e.tasks.map((l,u)=>{let d=e.episodes[u];return n("li",{children:n("a",{class:"mono",href:d?m.episode(d,{at:"failure"}):m.task(l),children:l})},
l)})})]})}var Ir=15,Jr=42;function Qo({percent:e,celsius:t}){if(e===null)return null;let o=t!==null&&t>=Jr,a=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${At(t)}\xA0\xB0C`}`;
return n("span",{class:`battery${e<=Ir||o?" battery-bad":""}`,title:a,children:[n(h,{name:o?"warning":"bolt",size:11,label:a}),n("span",{"aria-hidden":"true",children:[
Math.round(e),"%"]})]})}var Wr=new Set(["capture","perceive","verify","plan","decide","act","note"]);function ot({stages:e,most:t=4}){return n("span",{class:"stages",children:[e.slice(
0,t).map(o=>n("span",{class:"stage",children:[n("span",{class:`stage-dot stage-${Wr.has(o.stage)?o.stage:"other"}`}),n("span",{class:"clip",children:o.stage}),n(
We,{since:o.since})]},`${o.stage}-${o.step}`)),e.length>t&&n("span",{class:"stage faint",children:["+",e.length-t]})]})}var ue={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},Yo=11;function Zo({serial:e,size:t}){let o=Tt(e)?.value;return o===void 0?null:
n("a",{class:`tile tile-${t} tile-${o.phase}`,href:m.phone(e),children:[n(Xr,{phone:o}),n("div",{class:"tile-body",children:[n("div",{class:"tile-head",children:[
n(zr,{phase:o.phase}),n("span",{class:"tile-serial clip mono",children:t==="s"?qr(e):e}),t!=="s"&&n(Qo,{percent:o.battery??null,celsius:o.celsius??null})]}),t===
"s"?n(Fr,{phone:o}):n(Hr,{phone:o,isLarge:t==="l"})]})]})}function qr(e){return e.length>Yo?`\u2026${e.slice(1-Yo)}`:e}function Xr({phone:e}){return n("div",{class:"\
tile-screen",children:[e.thumbnail?n("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):n(h,{name:"phone",size:20}),e.taken_over_by&&
n("span",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:n(h,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function zr({
phase:e}){return n("span",{class:`dot dot-${e}`,title:ue[e],children:n("span",{class:"unseen",children:ue[e]})})}function Fr({phone:e}){return e.phase==="busy"?
n(ot,{stages:e.stages??[],most:1}):n("span",{class:"tile-line clip",children:ue[e.phase]})}function Hr({phone:e,isLarge:t}){let o=e.labels?.model;return e.phase!==
"busy"?n(f,{children:[n("span",{class:"tile-goal tile-idle",children:ue[e.phase]}),e.reason&&n("span",{class:"tile-doing said",children:e.reason}),n("span",{class:"\
tile-foot clip",children:o})]}):n(f,{children:[n("span",{class:"tile-goal said",children:e.goal||e.task}),n("span",{class:"tile-doing said",children:e.doing||e.
subgoal}),t&&e.subgoal&&e.subgoal!==e.doing&&n("span",{class:"tile-doing said",children:e.subgoal}),n(ot,{stages:e.stages??[],most:t?4:2}),n("span",{class:"tile\
-foot clip",children:[e.step!=null&&n(f,{children:["step ",e.step+1," \xB7 "]}),e.owner&&n(f,{children:[e.owner," \xB7 "]}),o]})]})}function ea({phone:e}){let t=W(async()=>{await X("POST",`/phones/${T(e.serial)}:release`),ve(0)});return n("li",{class:"away",children:[n(oe,{tone:e.phase==="aw\
ay"?"bad":"warn",icon:e.phase==="away"?"cross":"pause",children:ue[e.phase]}),n("a",{class:"away-name mono clip",href:m.phone(e.serial),children:e.serial}),n("s\
pan",{class:"away-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(ye,{at:e.since})}),e.phase==="aside"&&n(I,{needs:"operate",
icon:"play",disabled:t.isRunning.value,onClick:()=>{t.run()},children:"Release"}),t.problem.value&&n(S,{problem:t.problem.value})]})}function ta({model:e}){return n(
"li",{class:"away",children:[n(oe,{tone:"bad",icon:"cross",children:"away"}),n("a",{class:"away-name clip",href:m.health(),children:e.what}),n("span",{class:"aw\
ay-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(ye,{at:e.since})})]})}function na(){let e=Me.value;return n(f,{children:[n(U,{title:"Attention",about:e&&e.open>0?`${D(e.open,"thing")} for a person, the newest first`:void 0}),tt.value&&
n(S,{problem:tt.value}),e!==null&&e.causes.length+e.phones.length+e.models.length===0&&n(H,{icon:"check",title:"Nothing needs a person",children:["Failed tasks,\
 phones that get no work and models that do not answer appear here. Meanwhile, the"," ",n("a",{href:m.fleet(),children:"fleet"})," and the ",n("a",{href:m.work(),
children:"queue"})," show what goes on."]}),e!==null&&e.models.length>0&&n("section",{class:"attention-section","aria-labelledby":"models-title",children:[n("h2",
{id:"models-title",children:"Models away"}),n("ul",{class:"attention-list panel",children:e.models.map(t=>n(ta,{model:t},t.what))})]}),e!==null&&e.causes.length>
0&&n("section",{class:"attention-section","aria-labelledby":"causes-title",children:[n("h2",{id:"causes-title",children:"Failed tasks, by cause"}),e.causes.map(
t=>n(Ko,{cause:t},t.id))]}),e!==null&&e.phones.length>0&&n("section",{class:"attention-section","aria-labelledby":"phones-title",children:[n("h2",{id:"phones-ti\
tle",children:"Phones set aside or away"}),n("ul",{class:"attention-list panel",children:e.phones.map(t=>n(ea,{phone:t},t.serial))})]})]})}var Dr=1e3,Ur=3e3,En=class{value=b(null);problem=b(null);settings;#t=new AbortController;#e;#n=!1;#o=!1;#s=-1/0;#a=!1;constructor(t){this.settings=t}reload=()=>this.#i(
0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#a=!1;let t=Ie({onEvent:o=>{this.settings.isChangedBy?.(o)&&this.reload()},onOpen:this.reload});
return this.#r(),()=>{t(),this.#a=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#i(t){if(this.#a)return;if(this.#n){this.#o=!0;return}let o=this.#s+(this.
settings.everyMs??Dr)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#r()},Math.max(t,o,0)))}async#r(){this.#e=void 0,
this.#n=!0,this.#o=!1,this.#s=performance.now(),this.#t=new AbortController;let t=this.#t,o=this.settings.pollMs;try{let a=await this.settings.load(t.signal);t.
signal.aborted||this.put(a)}catch(a){if(t.signal.aborted)return;let r=ne(a);this.problem.value=r,(r.status===0||r.status===503||r.status===429)&&(o=Ur)}finally{
t===this.#t&&(this.#n=!1)}t.signal.aborted||this.#a||(this.#o?this.#i(0):o!==void 0&&this.#i(o))}};function ee(e,t){let o=te(()=>new En(e),t),a=Q(e);return a.current=
e,o.settings=e,A(()=>o.open(),[o]),o}function Xe({text:e}){let t=_(!1),o=async()=>{await navigator.clipboard.writeText(e),t.value=!0,setTimeout(()=>t.value=!1,2e3)};return n("div",{class:"copy-line",
children:[n("code",{class:"said",children:e}),n(C,{kind:"quiet",icon:t.value?"check":"copy",label:"Copy the command",onClick:()=>{o()}}),n("span",{class:"unseen",
role:"status",children:t.value?"Copied.":""})]})}function Jt(e){let t={value:"",name:"All",count:e.all};return n("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(o=>n("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===o.value,onClick:()=>e.onChoose(o.value),children:[o.name,o.count!==null&&n("span",{class:"chip-count",children:P(
o.count)})]},o.value))})}function ze(e){return n("label",{class:"search-box",children:[n(h,{name:"search"}),n("span",{class:"unseen",children:e.label}),n("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function Wt(e){return n("div",{class:"segments",role:"group","aria-label":e.label,children:e.choices.map(t=>n("button",{type:"button",class:"segment",title:t.words,
"aria-label":t.words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:t.name},t.value))})}var aa=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function ra(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let o of e)t[o.phase]++;return t}function ia(e,t){let o=t.toLowerCase().split(/\s+/).filter(Boolean);return o.
length===0?e:e.filter(a=>{let r=jr(a);return o.every(i=>r.includes(i))})}function jr(e){let t=Object.entries(e.labels??{}).filter(([o])=>!o.startsWith("app:")).
map(([o,a])=>`${o}=${a}`);return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason].join(`
`).toLowerCase()}function sa(e){let t=new Set;for(let o of e)for(let a of Object.keys(o.labels??{}))!a.startsWith("app:")&&a!=="serial"&&t.add(a);return[...t].sort()}
function la(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let o=new Map;for(let a of e){let r=a.labels?.[t]??"",i=o.get(r);i?i.push(a):o.set(r,[a])}
return[...o].sort(([a],[r])=>a===""?1:r===""?-1:a.localeCompare(r,"en",{numeric:!0})).map(([a,r])=>({name:a||`no label ${t}`,phones:r}))}var qt=12,oa=42,Vr={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function ca(e,t,o){let a=Vr[t],r=Math.max(1,Math.floor((o+qt)/(a.width+qt))),i=[],s=0;return e.
forEach((l,u)=>{l.name!==""&&(i.push({kind:"header",key:`h${u}`,top:s,height:oa,group:l}),s+=oa);for(let d=0;d<l.phones.length;d+=r){let p=l.phones.slice(d,d+r).
map(v=>v.serial);i.push({kind:"tiles",key:`${u}:${d}`,top:s,height:a.height,serials:p}),s+=a.height+qt}}),{columns:r,height:Math.max(0,s-qt),rows:i}}function ua(e,t,o){
let a=0,r=e.length;for(;a<r;){let s=a+r>>1,l=e[s];l.top+l.height<t?a=s+1:r=s}let i=a;for(;i<e.length&&e[i].top<=o;)i++;return[a,i]}var da=400;function pa({groups:e,size:t}){let o=Q(null),a=_(0),r=_("0 0"),i=te(()=>ca(e,t,a.value||1100),[e,t,a.value]),s=()=>{let d=o.current?.getBoundingClientRect().
top??0,[p,v]=ua(i.rows,-d-da,innerHeight-d+da);r.value=`${p} ${v}`};Ue(()=>{let d=o.current;if(d===null)return;a.value=d.clientWidth;let p=new ResizeObserver(()=>a.
value=d.clientWidth);return p.observe(d),()=>p.disconnect()},[]),Ue(s,[i]),A(()=>{let d=0,p=()=>{d||=requestAnimationFrame(()=>{d=0,s()})};return addEventListener(
"scroll",p,{passive:!0}),addEventListener("resize",p),()=>{removeEventListener("scroll",p),removeEventListener("resize",p),cancelAnimationFrame(d)}},[i]);let[l=0,
u=0]=r.value.split(" ").map(Number);return n("div",{ref:o,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,u).map(d=>n(Gr,{row:d,columns:i.
columns,size:t},d.key))})}function Gr({row:e,columns:t,size:o}){let a={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?n("h2",
{class:"wall-header",style:a,children:[n("span",{class:"clip",children:e.group.name}),n("span",{class:"faint",children:D(e.group.phones.length,"phone")})]}):n("\
div",{class:"wall-row",style:{...a,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(r=>n(Zo,{serial:r,size:o},r))})}var Kr=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function ma(){
let e=ee({load:c=>R("/status",{},c),isChangedBy:c=>/^(phone|model)\./.test(c.kind),pollMs:5e3},[]),t=k("phase"),o=k("q"),a=k("group"),r=["s","m","l"].includes(k(
"size"))?k("size"):"m",i=Ce(()=>{Ct.value;let c=Je(),y=ia(c,k("q")),N=k("phase")?y.filter(E=>E.phase===k("phase")):y;return{all:c.length,counts:ra(y),found:y.length,
chosen:N.length,labels:sa(c),groups:la(N,k("group"))}}),{all:s,counts:l,found:u,chosen:d,labels:p,groups:v}=i.value,g=e.value.value?.waiting_for??[];return n(f,
{children:[n(U,{title:"Fleet",about:n(Qr,{status:e.value.value})}),g.length>0&&n(Z,{tone:"warn",children:[n("p",{children:"Tasks wait for:"}),n("ul",{class:"not\
e-list",children:g.map(c=>n("li",{class:"said",children:c},c))})]}),s===0?n(Yr,{isReady:Pt.value&&(e.value.value?.is_ready??!1)}):n(f,{children:[n("div",{class:"\
toolbar",children:[n(ze,{value:o,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:c=>z({q:c})}),n(Jt,{label:"Phases",chosen:t,all:u,choices:aa.
map(c=>({value:c.phase,name:c.name,count:l[c.phase]})),onChoose:c=>z({phase:c})}),n("div",{class:"toolbar-end",children:[n("label",{class:"toolbar-select",children:[
n("span",{class:"quiet",children:"Group by"}),n("select",{class:"input",value:a,onChange:c=>z({group:c.currentTarget.value}),children:[n("option",{value:"",children:"\
nothing"}),p.map(c=>n("option",{value:c,children:c},c))]})]}),n(Wt,{label:"Size",value:r,choices:Kr,onChoose:c=>z({size:c==="m"?"":c})})]})]}),d===0?n(H,{icon:"\
search",title:"No phone is chosen by these filters",children:n("button",{type:"button",class:"link-button",onClick:()=>z({q:"",phase:""}),children:["Show all ",
P(s)," phones"]})}):n(pa,{groups:v,size:r})]})]})}function Qr({status:e}){return e===null?null:n(f,{children:[P(e.running)," running \xB7 ",P(e.waiting)," waiti\
ng \xB7 ",P(e.ended)," ended"]})}function Yr({isReady:e}){return e?n(H,{icon:"phone",title:"The fleet has no phones",action:n(Xe,{text:"manyhands attach SERIAL"}),
children:["Attach a phone that adb lists, or start the service with phones, such as ",n("code",{children:"--phones virtual:2"})," for two virtual ones. It appea\
rs here at once."]}):n(H,{icon:"clock",title:"The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This pa\
ge shows them as they come."})}var fa=12;function Xt(e){let t=Q(null),o=_("0 30"),a=e.items.length,r=()=>{let l=t.current?.getBoundingClientRect().top??0,u=Math.max(0,Math.floor(-l/e.height)-
fa),d=Math.min(a,Math.ceil((innerHeight-l)/e.height)+fa);o.value=`${u} ${Math.max(u,d)}`,d>=a&&e.onEnd?.()};Ue(r,[a,e.items]),A(()=>{let l=0,u=()=>{l||=requestAnimationFrame(
()=>{l=0,r()})};return addEventListener("scroll",u,{passive:!0}),addEventListener("resize",u),()=>{removeEventListener("scroll",u),removeEventListener("resize",
u),cancelAnimationFrame(l)}});let[i=0,s=0]=o.value.split(" ").map(Number);return n("div",{class:"rows panel",role:"table","aria-label":e.label,"aria-rowcount":a+
1,children:[n("div",{class:"rows-head",role:"rowgroup",children:n("div",{class:"row",role:"row","aria-rowindex":1,children:e.head})}),n("div",{ref:t,class:"rows\
-body",role:"rowgroup",style:{height:`${a*e.height}px`},children:e.items.slice(i,s).map((l,u)=>n("div",{class:"row",role:"row","aria-rowindex":i+u+2,style:{height:`${e.
height}px`,transform:`translateY(${(i+u)*e.height}px)`},children:e.children(l,i+u)},e.keyOf(l)))})]})}function L(e){return n("div",{class:`cell${e.kind?` cell-${e.
kind}`:""}`,role:e.head?"columnheader":"cell",children:e.children})}var Zr={"batch.accepted":"batch accepted","batch.paused":"batch paused","batch.resumed":"batch goes on","batch.cancelled":"batch cancelled","batch.ended":"batch\
 ended","task.paused":"task paused","task.resumed":"task goes on","task.retried":"task submitted again","task.began":"task began","task.step":"task is at anothe\
r step","task.ended":"task ended","task.failed":"task failed","phone.away":"phone is away","phone.back":"phone is back","phone.aside":"phone set aside","phone.r\
eleased":"phone released","model.away":"model is away","model.back":"model is back","schedule.fired":"schedule submitted","schedule.missed":"schedule missed a t\
ime"},ei=new Set(["task.failed","phone.away","model.away","schedule.missed"]),ti=34;function zt({events:e,label:t}){return n(Xt,{items:e,keyOf:o=>String(o.id),height:ti,
label:t,head:n(f,{children:[n(L,{head:!0,kind:"short",children:"Time"}),n(L,{head:!0,children:"What"}),n(L,{head:!0,children:"Of which"}),n(L,{head:!0,kind:"wid\
e",children:"Why"})]}),children:o=>n(f,{children:[n(L,{kind:"short",children:n("time",{class:"faint",dateTime:new Date(o.at*1e3).toISOString(),title:j(o.at),children:Wo(
o.at)})}),n(L,{children:n("span",{class:`clip event-what${ei.has(o.kind)?" event-bad":""}`,children:Zr[o.kind]??o.kind})}),n(L,{children:n(ni,{event:o})}),n(L,{
kind:"wide",children:n("span",{class:"clip event-why",children:oi(o)})})]})})}function ni({event:e}){return e.task?n(Cn,{href:m.task(e.task),words:e.task}):e.phone?
n(Cn,{href:m.phone(e.phone),words:e.phone}):e.batch?n(Cn,{href:m.batch(e.batch),words:e.batch}):n("span",{})}function Cn({href:e,words:t}){return n("a",{class:"\
clip event-of mono",href:e,children:t})}function oi(e){let t=e.data??{},o=typeof t.ending=="string"?be(t.ending):"",a=typeof t.reason=="string"?t.reason:"";return[
o,a].filter(Boolean).join(": ")}function _e({facts:e}){return n("dl",{class:"facts",children:e.filter(([,t])=>t!=null&&t!==""&&t!==!1).map(([t,o])=>n("div",{class:"fact",children:[n("dt",{children:t}),
n("dd",{children:o})]},t))})}var ai=52;function Ft(e){return n(Xt,{items:e.tasks,keyOf:t=>t.id,height:ai,label:e.label,...e.onEnd?{onEnd:e.onEnd}:{},head:n(f,{children:[n(L,{head:!0,kind:"s\
tate",children:"State"}),n(L,{head:!0,kind:"wide",children:"Goal"}),n(L,{head:!0,kind:"extra",children:"Now, or why"}),n(L,{head:!0,kind:"extra",children:"Phone"}),
n(L,{head:!0,kind:"time",children:"Time"}),n(L,{head:!0,kind:"actions",children:n("span",{class:"unseen",children:"Actions"})})]}),children:t=>n(f,{children:[n(
L,{kind:"state",children:n(It,{task:t})}),n(L,{kind:"wide",children:[n("a",{class:"task-goal clip",href:ri(t),children:t.goal}),n("span",{class:"task-id mono cl\
ip",children:t.id})]}),n(L,{kind:"extra",children:n("span",{class:"task-reason said",children:ii(t)})}),n(L,{kind:"extra",children:t.phone?n("a",{class:"clip ta\
sk-phone mono",href:m.phone(t.phone),children:t.phone}):n("span",{class:"faint",children:ce})}),n(L,{kind:"time",children:n(si,{task:t})}),n(L,{kind:"actions",children:n(
li,{task:t,...e.owner===void 0?{}:{owner:e.owner},onChanged:e.onChanged})})]})})}function ri(e){return e.episode?m.episode(e.episode):m.task(e.id)}function ii(e){
return e.phase==="running"?`step ${(e.step??0)+1}${e.doing?` \xB7 ${e.doing}`:""}`:e.phase!=="ended"?"":e.is_done?e.answer??`${e.steps??0} steps`:e.reason??""}function si({
task:e}){return e.started_at==null?n("span",{class:"faint",children:ce}):e.phase==="running"?n(We,{since:e.started_at}):n(f,{children:Ae(e.ended_at==null?null:e.
ended_at-e.started_at)})}function li(e){let{task:t}=e,o=W(async()=>(e.onChanged(await X("POST",`/tasks/${T(t.id)}:retry`)),"Submitted again."));return qe(t)?o.result.
value?n("span",{class:"task-again",children:"again"}):n(I,{needs:"submit",...e.owner===void 0?{}:{owner:e.owner},kind:o.problem.value?"danger":"quiet",icon:"ret\
ry",label:o.problem.value?`Retry: ${o.problem.value.detail}`:`Retry ${t.id}`,disabled:o.isRunning.value,onClick:()=>{o.run()}}):null}var ci=[["half an hour",.5],["2 hours",2],["8 hours",8],["a day",24]];function ha({phone:e}){let t=_(""),o=W(async(i,s)=>{Oo(await X("POST",`/phones/${T(e.serial)}\
:${i}`,s)),t.value=""}),a=e.phase==="aside"||e.phase==="reserved"||e.reserved_for!=null,r={needs:"operate",disabled:o.isRunning.value};return n("div",{class:"ph\
one-actions",children:[n("div",{class:"phone-buttons",children:[a&&n(I,{...r,kind:"primary",icon:"play",onClick:()=>{o.run("release")},children:"Release"}),e.phase!==
"aside"&&n(I,{...r,icon:"pause","aria-expanded":t.value==="aside",onClick:()=>t.value=t.value==="aside"?"":"aside",children:"Set aside"}),n(I,{...r,icon:"clock",
"aria-expanded":t.value==="reserve",onClick:()=>t.value=t.value==="reserve"?"":"reserve",children:"Reserve"})]}),t.value==="aside"&&n("form",{class:"phone-form \
panel",onSubmit:i=>{i.preventDefault(),o.run("aside",{reason:Pn(i,"reason")})},children:[n("label",{class:"field",children:[n("span",{class:"field-label",children:"\
Why"}),n("input",{class:"input",name:"reason",required:!0,maxLength:500,autofocus:!0,placeholder:"The screen is cracked"})]}),n("p",{class:"field-help",children:"\
It gets no task until it is released. Its present task goes on to its end."}),n(C,{type:"submit",kind:"primary",disabled:o.isRunning.value,children:"Set it asid\
e"})]}),t.value==="reserve"&&n("form",{class:"phone-form panel",onSubmit:i=>{i.preventDefault();let s=Date.now()/1e3+Number(Pn(i,"hours"))*3600;o.run("reserve",
{owner:Pn(i,"owner"),until:s})},children:[n("label",{class:"field",children:[n("span",{class:"field-label",children:"For whose tasks"}),n("input",{class:"input",
name:"owner",required:!0,defaultValue:fe(),autofocus:!0})]}),n("label",{class:"field",children:[n("span",{class:"field-label",children:"For how long"}),n("selec\
t",{class:"input",name:"hours",children:ci.map(([i,s])=>n("option",{value:s,selected:s===2,children:i},s))})]}),n(C,{type:"submit",kind:"primary",disabled:o.isRunning.
value,children:"Reserve it"})]}),o.problem.value&&n(S,{problem:o.problem.value})]})}function Pn(e,t){return String(new FormData(e.currentTarget).get(t)??"").trim()}var ui={"task.began":"busy","task.ended":"free","phone.away":"away","phone.back":"free","phone.aside":"aside","phone.released":"free"},Tn={busy:"at work",free:"\
free",away:"away",aside:"set aside"};function di(e,t){let o=[],a=null;for(let r of[...e].reverse()){let i=ui[r.kind];i!==void 0&&(a!==null&&r.at>a.from&&o.push(
{...a,to:r.at}),a={condition:i,from:r.at})}return a!==null&&t>a.from&&o.push({...a,to:t}),o}function ga({events:e}){let t=Math.ceil(he.value/30)*30,o=di(e,t),a=o[0]?.
from??t,r=Math.max(1,t-a),i={free:0,busy:0,away:0,aside:0};for(let u of o)i[u.condition]+=u.to-u.from;let s=e.filter(u=>u.kind==="task.ended").length,l=e.filter(
u=>u.kind==="task.failed").length;return n("div",{class:"phone-health panel",children:[n("svg",{class:"phone-strip",viewBox:`0 0 ${r} 1`,preserveAspectRatio:"no\
ne",role:"img","aria-label":pi(i,r),children:o.map(u=>n("rect",{class:`strip-${u.condition}`,x:u.from-a,width:Math.max(u.to-u.from,r/800),height:"1",children:n(
"title",{children:`${Tn[u.condition]}: ${j(u.from)}, ${nt(u.to-u.from)}`})},u.from))}),n("p",{class:"phone-strip-ends quiet",children:[n("span",{children:j(a)}),
n("span",{children:"now"})]}),n(_e,{facts:[...Object.keys(i).map(u=>[Tn[u],n("span",{class:"phone-key",children:[n("span",{class:`key key-${u}`})," ",Mt(i[u]/r)]},
u)]),["Tasks",P(s)],["Failed",`${P(l)} (${Mt(s===0?0:l/s)})`]]})]})}function pi(e,t){return Object.keys(e).map(o=>`${Tn[o]} ${Mt(e[o]/t)}`).join(", ")}var va=[{name:"Fleet",href:m.fleet()}];function ba({serial:e}){Ct.value;let t=Tt(e)?.value;return t===void 0?n(f,{children:[n(U,{title:e,crumbs:va}),Pt.value&&n(
H,{icon:"phone",title:"The fleet has no such phone",children:["It was detached, or its address has changed. An operator attaches a phone with ",n("code",{children:"\
manyhands attach"}),"."]})]}):n(f,{children:[n(U,{crumbs:va,title:e,about:n("span",{class:"phone-about",children:[n("span",{class:`dot dot-${t.phase}`})," ",ue[t.
phase],t.labels?.model&&n("span",{class:"said",children:t.labels.model})]}),actions:n(ha,{phone:t})}),t.reason&&n(Z,{tone:t.phase==="away"||t.phase==="aside"?"w\
arn":"quiet",children:n("p",{class:"said",children:[ue[t.phase],": ",t.reason,t.reserved_until!=null&&` until ${j(t.reserved_until)}`]})}),n("div",{class:"phone\
-page",children:[n(mi,{phone:t}),n("div",{class:"phone-detail",children:[n(fi,{phone:t}),n(hi,{phone:t}),n(gi,{serial:e})]})]})]})}function mi({phone:e}){let t=e.
episode&&e.screen?Pe(`/episodes/${T(e.episode)}/screens/${e.screen}`,{width:540}):e.thumbnail?`data:image/jpeg;base64,${e.thumbnail}`:null;return n("div",{class:"\
phone-screen panel",children:t?n("img",{src:t,alt:`The screen of ${e.serial}`}):n("span",{class:"faint",children:[n(h,{name:"phone",size:28}),"No screen yet"]})})}
function fi({phone:e}){return e.task?n("section",{class:"phone-now panel","aria-label":"What it does now",children:[n("p",{class:"phone-goal said",children:e.goal||
e.task}),n("p",{class:"quiet said",children:e.subgoal||e.doing}),n("p",{class:"phone-line",children:n(ot,{stages:e.stages??[]})}),n("p",{class:"phone-line quiet",
children:[e.step!=null&&n("span",{children:["step ",e.step+1]}),e.step_since!=null&&n("span",{children:["for ",n(We,{since:e.step_since})]}),e.owner&&n("span",{
class:"said",children:["asked by ",e.owner]}),e.taken_over_by&&n("strong",{class:"said",children:["taken over by ",e.taken_over_by]})]}),n("p",{class:"phone-lin\
e",children:[e.episode&&n("a",{class:"button button-primary",href:m.episode(e.episode),children:[n(h,{name:"play"})," Watch it live"]}),e.batch&&n("a",{class:"b\
utton",href:m.batch(e.batch),children:["Batch ",e.batch]})]})]}):null}function hi({phone:e}){let t=Object.entries(e.labels??{}),o=t.filter(([r])=>!r.startsWith(
"app:")&&r!=="serial"&&r!=="model"),a=t.filter(([r])=>r.startsWith("app:"));return n(f,{children:[n(_e,{facts:[["Battery",e.battery==null?null:`${Math.round(e.battery)}\
\xA0%`],["Warmth",e.celsius==null?null:`${At(e.celsius)}\xA0\xB0C`],["Failures in a row",e.failures?P(e.failures):null],...o.map(([r,i])=>[r,n("span",{class:"sa\
id",children:i},r)])]}),a.length>0&&n("details",{class:"phone-apps",children:[n("summary",{children:D(a.length,"app")}),n("p",{class:"said mono",children:a.map(
([r,i])=>`${r.slice(4)} ${i}`).join(`
`)})]})]})}var ya=[{value:"tasks",name:"Last tasks"},{value:"log",name:"Log"},{value:"health",name:"Health"}];function gi({serial:e}){let t=ya.find(o=>o.value===
k("tab"))?.value??"tasks";return n("section",{class:"phone-history","aria-label":"History",children:[n(Wt,{label:"History",value:t,choices:ya,onChoose:o=>z({tab:o===
"tasks"?"":o})}),t==="tasks"?n(vi,{serial:e}):n(yi,{serial:e,tab:t})]})}function vi({serial:e}){let t=ee({load:a=>R(`/phones/${T(e)}/tasks`,{limit:100},a),isChangedBy:a=>a.
phone===e&&a.kind!=="task.step"},[e]),o=t.value.value?.items;return n(f,{children:[t.problem.value&&n(S,{problem:t.problem.value}),o?.length===0&&n(H,{icon:"lis\
t",title:"It has had no task yet",children:["As soon as it gets one, the task appears here. ",n("a",{href:m.submit(),children:"Submit a batch"})]}),o&&o.length>
0&&n(Ft,{tasks:o,label:`Tasks of ${e}`,onChanged:t.reload})]})}function yi({serial:e,tab:t}){let o=ee({load:r=>R(`/phones/${T(e)}/log`,{limit:500},r),isChangedBy:r=>r.
phone===e&&r.kind!=="task.step"},[e]),a=o.value.value?.items;return n(f,{children:[o.problem.value&&n(S,{problem:o.problem.value}),a?.length===0&&n(H,{icon:"clo\
ck",title:"Nothing has happened to it yet",children:"Its tasks, and when it went away or was set aside, appear here."}),a&&a.length>0&&(t==="log"?n(zt,{events:a,
label:`Log of ${e}`}):n(ga,{events:a}))]})}var _a=["done","failed","cancelled","running"];function Ht({counts:e}){let t=Math.max(1,e.tasks-(e.retried??0));return n("span",{class:"progress",role:"img","ar\
ia-label":at(e),children:_a.map(o=>{let a=e[o]??0;return a===0?null:n("span",{class:`progress-part progress-${o}`,style:{width:`${100*a/t}%`}},o)})})}function at(e){
let t=_a.filter(o=>(e[o]??0)>0).map(o=>`${P(e[o]??0)} ${o}`);return e.waiting>0&&t.push(`${P(e.waiting)} waiting`),t.join(", ")||"no tasks"}function Dt(e){let t=_(!1),o=Q(null);A(()=>{t.value&&o.current?.showModal()},[t.value]);let a={needs:e.needs,disabled:e.disabled??!1,onClick:()=>t.value=!0};return n(
f,{children:[n(I,{...a,...e.owner===void 0?{}:{owner:e.owner},...e.icon?{icon:e.icon}:{},...e.isIcon?{label:e.name,kind:"quiet"}:{},children:e.isIcon?void 0:e.name}),
t.value&&n("dialog",{ref:o,class:"confirm","aria-label":e.name,onClose:()=>t.value=!1,children:[n("p",{class:"said",children:e.question}),n("div",{class:"confir\
m-answers",children:[n(C,{autofocus:!0,onClick:()=>o.current?.close(),children:"Go back"}),n(C,{kind:"danger",onClick:()=>{o.current?.close(),e.onConfirm()},children:e.
yes})]})]})]})}function Ut(e,t){return W(async o=>{let a=`/batches/${T(e.id)}:${o}`;if(o==="retry"){let r=await X("POST",a);return`${D(r.length,"task")} submitted again.`}t(await X(
"POST",a))})}function jt(e){let{batch:t,action:o,areIcons:a}=e,r={needs:"submit",owner:t.owner,disabled:o.isRunning.value},i=t.phase==="open"||t.phase==="paused",
s=l=>a?{label:l,kind:"quiet"}:{children:l};return n(f,{children:[t.phase==="open"&&n(I,{...r,icon:"pause",onClick:()=>{o.run("pause")},...s("Pause")}),t.phase===
"paused"&&n(I,{...r,icon:"play",onClick:()=>{o.run("resume")},...s("Let it go on")}),t.failed>0&&n(I,{...r,icon:"retry",onClick:()=>{o.run("retry")},...s("Retry\
 what failed")}),i&&n(Dt,{...r,name:"Cancel",icon:"stop",isIcon:a,question:`Cancel ${D(t.waiting+t.running,"task")} of ${t.name||t.id}? Running tasks end as soo\
n as they can.`,yes:"Cancel the batch",onConfirm:()=>{o.run("cancel")}})]})}function An(e){return[...e].sort((t,o)=>o.priority-t.priority||t.submitted_at-o.submitted_at)}function wa(e,t,o){let a=e.find(d=>d.id===t),r=e.filter(d=>d.id!==
t);if(a===void 0||e[o]?.id===t)return null;let i=r[o-1],s=r[o],l=d=>d.submitted_at<=a.submitted_at,u=a.priority;return s!==void 0&&(u=Math.max(u,l(s)?s.priority+
1:s.priority)),i!==void 0&&(u=Math.min(u,l(i)?i.priority:i.priority-1)),u=Math.min(100,Math.max(-100,u)),u===a.priority?null:u}function xa(e,t){if(e.phase!=="op\
en")return null;let o=e.waiting+e.running,a=e.tasks-o;return a<1||o===0?null:o*Math.max(1,t-e.submitted_at)/a}function Vt(e){let{batch:t}=e,o=Ut(t,e.put),a=t.tasks-t.waiting-t.running;return n("li",{...e.target,class:`batch${e.target?.class?` ${e.target.class}`:""}`,children:[
n("div",{class:"batch-main",children:[e.before,n("div",{class:"batch-name",children:[n("a",{class:"batch-link clip",href:m.batch(t.id),children:t.name||t.id}),n(
"span",{class:"batch-about clip",children:[t.name&&n("span",{class:"mono",children:[t.id," "]}),"by ",t.owner," \xB7 ",n(ye,{at:t.submitted_at}),t.tags.map(r=>n(
"a",{class:"tag",href:m.work({tag:r}),children:r},r))]})]}),n("div",{class:"batch-progress",children:[n(Ht,{counts:t}),n("span",{class:"batch-counts",children:[
n("span",{class:"clip",children:at(t)}),n("span",{class:"num",children:[P(a),"/",P(t.tasks)]})]})]}),n("div",{class:"batch-state",children:[n(Ot,{phase:t.phase,
failed:t.failed}),n(Mn,{batch:t})]}),e.priority,n("div",{class:"batch-actions",children:n(jt,{batch:t,action:o,areIcons:!0})})]}),t.deadline_warning&&n("p",{class:"\
batch-warning",children:[n(h,{name:"warning",size:14})," ",n("span",{class:"said",children:t.deadline_warning})]}),o.problem.value&&n(S,{problem:o.problem.value}),
o.result.value&&n("p",{class:"batch-result",role:"status",children:o.result.value})]})}function Mn({batch:e}){let t=Ce(()=>{let a=xa(e,he.value);return a===null?
"":`about ${nt(a)} left`}),o=e.deadline!=null&&e.phase==="open"&&e.deadline<he.value;return n("span",{class:"batch-left quiet",children:o?n(oe,{tone:"bad",children:"\
past its deadline"}):t})}function ka({batches:e,put:t}){let o=_(null),a=_(null),r=W(async(l,u)=>(t(await X("POST",`/batches/${T(l)}:priority`,{priority:u})),`${l} has the priority ${u} \
now.`)),i=(l,u)=>{let d=wa(e,l,u);d!==null&&r.run(l,d)},s=(l,u)=>{l.preventDefault(),o.value!==null&&i(o.value,u),o.value=null,a.value=null};return n("section",
{class:"batch-section","aria-labelledby":"queue-title",children:[n("h2",{id:"queue-title",children:"Queue"}),e.length===0&&n("p",{class:"quiet",children:"Nothin\
g waits. What is submitted starts at once."}),r.problem.value&&n(S,{problem:r.problem.value}),n("p",{class:"unseen",role:"status",children:r.result.value}),n("u\
l",{class:"batch-list panel",children:e.map((l,u)=>{let d=Te("submit",l.owner),p=v=>{r.run(l.id,Math.min(100,Math.max(-100,v)))};return n(Vt,{batch:l,put:t,target:{
class:`batch-queued${a.value===u&&o.value!==l.id?" queue-over":""}`,onDragOver:v=>{o.value!==null&&(v.preventDefault(),a.value=u)},onDrop:v=>s(v,u)},before:n("b\
utton",{type:"button",class:"queue-handle",draggable:d===null,disabled:d!==null,title:d??"Drag to another place, or press the arrow keys","aria-label":`Move ${l.
name||l.id}: place ${u+1} of ${e.length}`,onDragStart:()=>o.value=l.id,onDragEnd:()=>{o.value=null,a.value=null},onKeyDown:v=>{v.key!=="ArrowUp"&&v.key!=="Arrow\
Down"||(v.preventDefault(),i(l.id,u+(v.key==="ArrowUp"?-1:1)))},children:n(h,{name:"menu",size:14})}),priority:n("div",{class:"queue-priority",role:"group","ari\
a-label":`Priority of ${l.name||l.id}`,children:[n(C,{kind:"quiet",icon:"minus",label:"Lower priority",disabled:d!==null,onClick:()=>p(l.priority-1)}),n("span",
{class:"num",title:"Priority: higher ones run first",children:l.priority}),n(C,{kind:"quiet",icon:"plus",label:"Higher priority",disabled:d!==null,onClick:()=>p(
l.priority+1)})]})},l.id)})})]})}function $n(e){return n(f,{children:[n(U,{title:"Work",about:e.about,actions:e.actions??(Te("submit")===null?n("a",{class:"button button-primary",href:m.submit(),
children:[n(h,{name:"plus"})," Submit a batch"]}):n(Go,{needs:"submit",what:"Submitting"}))}),n("nav",{class:"tabs","aria-label":"Work",children:[n("a",{class:"\
tab",href:m.work(),"aria-current":e.tab==="batches"?"page":void 0,children:"Batches"}),n("a",{class:"tab",href:m.schedules(),"aria-current":e.tab==="schedules"?
"page":void 0,children:"Schedules"})]})]})}var Rn=50,wi=e=>e.batch!=null&&e.kind!=="task.step";async function xi(e){let t=(l,u)=>R("/batches",{phase:l,limit:u,tag:k("tag"),owner:k("owner")},e),[o,a,r,i]=await Promise.
all([t("open",1e3),t("paused",1e3),t("ended",Rn),t("cancelled",Rn)]),s=[...r.items,...i.items].sort((l,u)=>u.submitted_at-l.submitted_at);return{queue:An([...o.
items,...a.items]),ended:s,cursor:r.next_cursor??null}}function Ea(){let e=ee({load:xi,isChangedBy:wi},[k("tag"),k("owner")]),t=_([]),o=_(void 0),a=e.value.value,
r=o.value===void 0?a?.cursor??null:o.value,i=W(async()=>{let g=await R("/batches",{phase:"ended",limit:Rn,cursor:r});t.value=[...t.value,...g.items],o.value=g.next_cursor??
null}),s=k("q"),l=g=>{if(a===null)return;let c=y=>y.id===g.id?g:y;e.put({...a,queue:An(a.queue.map(c)),ended:a.ended.map(c)}),e.reload()};if(a===null)return n(f,
{children:[n($n,{tab:"batches"}),e.problem.value&&n(S,{problem:e.problem.value})]});let u=new Set(a.ended.map(g=>g.id)),d=Sa(a.queue,s),p=Sa([...a.ended,...t.value.
filter(g=>!u.has(g.id))],s),v=a.queue.length===0&&a.ended.length===0&&!k("tag")&&!k("owner");return n(f,{children:[n($n,{tab:"batches",about:n(ki,{queue:a.queue})}),
e.problem.value&&n(S,{problem:e.problem.value}),v?n(H,{icon:"layers",title:"No batch yet",action:n(Xe,{text:'manyhands submit --goal "Turn on dark mode." --name\
 try'}),children:["A batch is a list of goals in plain language. ",n("a",{href:m.submit(),children:"Submit one here"}),", or from a terminal:"]}):n(f,{children:[
n("div",{class:"toolbar",children:[n(ze,{value:s,label:"Search batches",placeholder:"Name, id, owner, tag",onInput:g=>z({q:g})}),(k("tag")||k("owner"))&&n(C,{icon:"\
cross",onClick:()=>z({tag:"",owner:""}),children:k("tag")?`tag ${k("tag")}`:`of ${k("owner")}`})]}),n(ka,{batches:d,put:l}),n("section",{class:"batch-section","\
aria-labelledby":"ended-title",children:[n("h2",{id:"ended-title",children:"Ended"}),p.length===0&&n("p",{class:"quiet",children:"No batch has ended yet."}),n("\
ul",{class:"batch-list panel",children:p.map(g=>n(Vt,{batch:g,put:l},g.id))}),r!==null&&s===""&&n(C,{onClick:()=>{i.run()},disabled:i.isRunning.value,children:"\
Show older ones"}),i.problem.value&&n(S,{problem:i.problem.value})]})]})]})}function ki({queue:e}){let t=e.reduce((a,r)=>a+r.waiting,0),o=e.reduce((a,r)=>a+r.running,
0);return n(f,{children:[D(e.length,"open batch","open batches")," \xB7 ",D(o,"task")," running \xB7 ",t," waiting"]})}function Sa(e,t){let o=t.trim().toLowerCase();
return o===""?e:e.filter(a=>[a.id,a.name,a.owner,...a.tags].join(`
`).toLowerCase().includes(o))}var Ca=1e3;function Pa({batch:e}){let t=k("events")==="1";return n("section",{class:"event-section",children:[n(C,{icon:t?"up":"down",kind:"quiet","aria-expande\
d":t,onClick:()=>z({events:t?"":"1"}),children:"What happened"}),t&&n(Si,{batch:e})]})}function Si({batch:e}){let t=_([]);return A(()=>{let o=[],a=0,r=new ge({path:"\
/events",query:()=>({batch:e,after:0}),onEvent:({data:i})=>{let s=JSON.parse(i);s.kind!=="task.step"&&(o.unshift(s),o.length>Ca&&(o=o.slice(0,Ca)),a||=requestAnimationFrame(
()=>{a=0,t.value=[...o]}))}});return()=>{r.close(),cancelAnimationFrame(a)}},[e]),n(zt,{events:t.value,label:`Events of ${e}`})}var Bn=500,Ei=1e3,Ln={"":{query:{},holds:()=>!0},waiting:{query:{phase:"waiting"},holds:e=>e.phase==="waiting"},paused:{query:{phase:"paused"},holds:e=>e.phase===
"paused"},running:{query:{phase:"running"},holds:e=>e.phase==="running"},done:{query:{is_done:!0},holds:e=>e.is_done===!0},failed:{query:{is_done:!1},holds:qe},
cancelled:{query:{ending:"cancelled"},holds:e=>e.ending==="cancelled"}},Nn=class{tasks=b([]);problem=b(null);isLoaded=b(!1);#t;#e;#n=null;#o=!1;#s;#a=new AbortController;constructor(t,o){
this.#t=t,this.#e=o in Ln?o:""}open(){let t=Ie({onEvent:o=>this.#l(o),onOpen:()=>this.reload()});return this.#r(null,Bn),()=>{t(),clearTimeout(this.#s),this.#a.
abort()}}more=()=>{this.#n!==null&&this.#r(this.#n,Bn)};reload=()=>{this.#s??=setTimeout(()=>{this.#s=void 0,this.#r(null,Math.min(1e3,Math.max(Bn,this.tasks.value.
length)))},Ei)};put=t=>{this.tasks.value=this.tasks.value.map(o=>o.id===t.id?t:o).filter(this.#i)};get#i(){return Ln[this.#e].holds}async#r(t,o){if(!this.#o){this.#o=
!0;try{let a={...this.#t,...Ln[this.#e].query,cursor:t,limit:o},r=await R("/tasks",a,this.#a.signal),i=r.items.filter(this.#i);if(t!==null)this.tasks.value=[...this.
tasks.value,...i],this.#n=r.next_cursor??null;else{let s=this.tasks.value.slice(i.length),l=r.next_cursor==null,u=new Set(i.map(d=>d.id));this.tasks.value=l?i:[
...i,...s.filter(d=>!u.has(d.id))],(l||s.length===0)&&(this.#n=r.next_cursor??null)}this.isLoaded.value=!0,this.problem.value=null}catch(a){this.#a.signal.aborted||
(this.problem.value=ne(a))}finally{this.#o=!1}}}#l(t){if(t.task==null||this.#t.batch&&t.batch!==this.#t.batch)return;let o=this.tasks.value.findIndex(s=>s.id===
t.task);if(o<0){t.kind!=="task.step"&&this.reload();return}let r={"task.paused":"paused","task.resumed":"waiting"}[t.kind],i=[...this.tasks.value];i[o]={...i[o],
...t.data,...r?{phase:r}:{}},this.tasks.value=i.filter(this.#i)}};function Ta(e,t){let o=te(()=>new Nn(e,t),[JSON.stringify(e),t]);return A(()=>o.open(),[o]),o}var Ci=["csv","json","jsonl","junit","html"];function Aa({id:e}){let t=ee({load:a=>R(`/batches/${T(e)}`,{},a),isChangedBy:a=>a.batch===e&&a.kind!=="task.step"},
[e]),o=t.value.value;return o===null?n(f,{children:[n(U,{title:e,crumbs:[{name:"Work",href:m.work()}]}),t.problem.value&&n(S,{problem:t.problem.value})]}):n(f,{
children:[t.problem.value&&n(S,{problem:t.problem.value}),n(Pi,{batch:o,put:t.put})]})}function Pi({batch:e,put:t}){let o=Ut(e,t);return n(f,{children:[n(U,{crumbs:[
{name:"Work",href:m.work()}],title:e.name||e.id,about:n(f,{children:[n(Ot,{phase:e.phase,failed:e.failed})," ",n("span",{class:"mono",children:e.id})," of ",e.owner]}),
actions:n(jt,{batch:e,action:o,areIcons:!1})}),o.problem.value&&n(S,{problem:o.problem.value}),o.result.value&&n(Z,{children:o.result.value}),e.deadline_warning&&
n(Z,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})}),n("div",{class:"batch-large-progress panel",children:[n("div",{class:"batch-large-\
words",children:[n("span",{children:at(e)}),n(Mn,{batch:e})]}),n(Ht,{counts:e})]}),n(_e,{facts:[["Submitted",j(e.submitted_at)],["Ended",e.ended_at==null?null:j(
e.ended_at)],["Deadline",e.deadline==null?null:j(e.deadline)],["Priority",String(e.priority)],["Phones",e.phones?n("span",{class:"said mono",children:e.phones}):
"all"],["Tags",e.tags.length>0&&e.tags.map(a=>n("a",{class:"tag",href:m.work({tag:a}),children:a},a))],["Schedule",e.schedule&&n("a",{href:m.schedules(),children:e.
schedule})],["Results",n(Ti,{batch:e.id},"results")]]}),n(Ai,{batch:e}),n(Pa,{batch:e.id})]})}function Ti({batch:e}){return n("span",{class:"downloads",children:Ci.
map(t=>n("a",{href:Pe(`/batches/${T(e)}/results`,{format:t}),download:`${e}.${t}`,children:t},t))})}function Ai({batch:e}){let t=k("state"),o=k("q").trim().toLowerCase(),
a=Ta({batch:e.id},t),r=o?a.tasks.value.filter(i=>`${i.id}
${i.goal}
${i.phone}
${i.reason}`.toLowerCase().includes(o)):a.tasks.value;return n(f,{children:[n("div",{class:"toolbar",children:[n(ze,{value:k("q"),label:"Search tasks",placeholder:"\
Id, goal, phone, reason",onInput:i=>z({q:i})}),n(Jt,{label:"States",chosen:t,all:e.tasks,choices:[{value:"running",name:"Running",count:e.running},{value:"waiti\
ng",name:"Waiting",count:e.phase==="paused"?null:e.waiting},{value:"done",name:"Done",count:e.done},{value:"failed",name:"Failed",count:e.failed},{value:"cancel\
led",name:"Cancelled",count:e.cancelled??0}],onChoose:i=>z({state:i})})]}),a.problem.value&&n(S,{problem:a.problem.value}),a.isLoaded.value&&r.length===0?n(H,{icon:"\
list",title:"No task is in this state now",children:n("button",{type:"button",class:"link-button",onClick:()=>z({state:"",q:""}),children:["Show all ",P(e.tasks)]})}):
n(Ft,{tasks:r,label:`Tasks of ${e.id}`,owner:e.owner,onChanged:a.reload,onEnd:a.more})]})}function Ma({id:e}){let t=e.split(".")[0]??e,o=ee({load:s=>R(`/tasks/${T(e)}`,{},s),isChangedBy:s=>s.task===e},[e]),a=ee({load:s=>R(`/batches/${T(t)}`,{},s)},[t]),
r=[{name:"Work",href:m.work()},{name:a.value.value?.name||t,href:m.batch(t)}],i=o.value.value;return n(f,{children:[i===null?n(U,{title:e,crumbs:r}):n(Mi,{task:i,
owner:a.value.value?.owner,crumbs:r,put:o.put}),o.problem.value&&n(S,{problem:o.problem.value})]})}function Mi(e){let{task:t}=e,o=W(async r=>{let i=await X("POS\
T",`/tasks/${T(t.id)}:${r}`);r==="retry"?Ze(["tasks",i.id]):e.put(i)}),a={needs:"submit",disabled:o.isRunning.value,...e.owner===void 0?{}:{owner:e.owner}};return n(
f,{children:[n(U,{crumbs:e.crumbs,title:t.goal,about:n(f,{children:[n(It,{task:t})," ",n("span",{class:"mono",children:t.id})]}),actions:n(f,{children:[t.episode&&
n("a",{class:"button button-primary",href:m.episode(t.episode),children:[n(h,{name:"play"})," ",t.phase==="running"?"Watch it live":"Open its film"]}),t.phase===
"waiting"&&n(I,{...a,icon:"pause",onClick:()=>{o.run("pause")},children:"Pause"}),t.phase==="paused"&&n(I,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"\
Let it go on"}),qe(t)&&n(I,{...a,icon:"retry",onClick:()=>{o.run("retry")},children:"Retry"}),t.phase!=="ended"&&n(Dt,{...a,name:"Cancel",icon:"stop",question:`\
Cancel the task ${t.id}?`,yes:"Cancel the task",onConfirm:()=>{o.run("cancel")}})]})}),o.problem.value&&n(S,{problem:o.problem.value}),t.phase==="ended"&&t.reason&&
n(Z,{tone:t.is_done?"good":"warn",children:[n("p",{class:"note-title",children:be(t.ending??"")}),n("p",{class:"said",children:t.reason})]}),t.answer&&n(Z,{tone:"\
quiet",children:[n("p",{class:"note-title",children:"Answer"}),n("p",{class:"said",children:t.answer})]}),n(_e,{facts:[["Phone",t.phone&&n("a",{href:m.phone(t.phone),
children:t.phone})],["Began",t.started_at==null?null:j(t.started_at)],["Ended",t.ended_at==null?null:j(t.ended_at)],["Took",t.ended_at==null||t.started_at==null?
null:Ae(t.ended_at-t.started_at)],["Steps",t.steps??(t.step==null?null:t.step+1)],["Now",t.doing&&n("span",{class:"said",children:t.doing})],["Attempts",t.attempts||
null],["Priority",String(t.priority)],["Check",t.verified==null?null:t.verified?"holds":"does not hold"],["Retry of",t.retry_of&&n("a",{href:m.task(t.retry_of),
children:t.retry_of})]]})]})}function $a(){let e=yt.value.path,t=$i(e);return A(()=>{$t.value=t.name},[t.name]),A(()=>{scrollTo({top:0})},[e.join("/")]),n(f,{children:t.page()})}function $i(e){
let[t="fleet",o=""]=e;switch(t){case"fleet":return{name:"Fleet",page:()=>n(ma,{})};case"phones":return{name:o,page:()=>n(ba,{serial:o},o)};case"work":return{name:"\
Work",page:()=>n(Ea,{})};case"batches":return{name:o,page:()=>n(Aa,{id:o},o)};case"tasks":return{name:o,page:()=>n(Ma,{id:o},o)};case"attention":return{name:"At\
tention",page:()=>n(na,{})};default:return{name:"No such page",page:()=>n(Ri,{})}}}function Ri(){return n(H,{icon:"search",title:"There is no such page",children:[
"Perhaps the address was cut off when it was copied. The ",n("a",{href:m.fleet(),children:"fleet"})," is the first page."]})}function Ra({problem:e}){let t=_(!1),o=async a=>{a.preventDefault();let r=a.currentTarget,i=String(new FormData(r).get("token")??"").trim();i!==""&&(t.value=!0,
await vn(i),t.value=!1)};return n("main",{class:"sign-in",children:n("form",{class:"sign-in-form panel",onSubmit:a=>{o(a)},children:[n("h1",{children:n(Nt,{})}),
n("p",{class:"quiet",children:"Sign in to this service with your token."}),n("label",{class:"field",children:[n("span",{class:"field-label",children:"Token"}),n(
"input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&n(S,{problem:e}),n(C,{type:"submit",kind:"\
primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),n("div",{class:"sign-in-help quiet",children:[n("p",{children:["The first start of the\
 service prints its token, and keeps it in the file ",n("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),n(Xe,{text:"manyhands \
tokens make YOUR-NAME --role submit"})]})]})})}function Ba(){let e=So.value;return e.kind==="asking"?n("main",{class:"shell-wait","aria-busy":"true",children:n("p",{class:"quiet",children:[n(h,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="out"?n(Ra,{problem:e.problem}):n(Bi,{})}function Bi(){return A(()=>{yn([Ro(),Lo()]);let e=Xo();return()=>{
yn([]),e(),Bo(),No()}},[]),n("div",{class:"shell",children:[n("a",{class:"skip-link",href:"#/",onClick:Li,children:"Skip to the page"}),n(Vo,{}),n("div",{class:"\
shell-page",children:[n(Io,{}),n("main",{id:"page",tabIndex:-1,children:n($a,{})})]}),n(jo,{})]})}function Li(e){e.preventDefault(),document.getElementById("pag\
e")?.focus()}mn();Ao();Co();Kn(n(Ba,{}),document.getElementById("app"));})();
