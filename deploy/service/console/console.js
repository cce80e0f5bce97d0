"use strict";(()=>{var T,ra,bn,Pe,vn,Ct,ia,Et,sa,wn,yn,Cr,st=Symbol.for("pv"),Tt={},Mt=[],Tr=/^m(i|n|o|s|text|space)$/,_n=Array.isArray,kn=Mt.slice,Oe=Object.assign;function Ie(e){
e&&e.parentNode&&e.remove()}function la(e,t,a){var o,r,i,s={},l=arguments.length;for(i in t)i=="key"?o=t[i]:i=="ref"&&typeof e!="function"?r=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?kn.call(arguments,2):a),it(e,s,o,r,null)}function it(e,t,a,o,r){var i={type:e,props:t,key:a,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:st,__v:r||++ra,__i:-1,__u:0};return!r&&T.vnode&&T.
vnode(i),i}function f(e){return e.children}function Ve(e,t){this.props=e,this.context=t,this.__g=0}function Ce(e,t){if(t==null)return e.__&&Ce(e.__,e.__i+1);for(var a;t<e.
__k.length;t++)if((a=e.__k[t])&&a.__e)return a.__e;return typeof e.type!="function"||e.props.__P?null:Ce(e)}function Mr(e){var t,a=e.__v,o=a.__e,r=[],i=[],s=e.__P;
s&&((t=Oe({constructor:st},a)).__v=a.__v+1,T.vnode&&T.vnode(t),xn(s,t,a,e.__n,s.namespaceURI,32&a.__u?[o]:null,r,o||Ce(a),32&a.__u,i),t.__v=a.__v,t.__.__k[t.__i]=
t,fa(r,t,i),a.__=a.__e=null,t.__e!=o&&ca(t))}function ca(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
ca(e)}function aa(e){(8&e.__g||(e.__g|=8,Pe.push(e),Ct++))&&vn==T.debounceRendering||((vn=T.debounceRendering)||queueMicrotask)(ua)}function ua(){try{for(var e,
t=1;Pe.length;)Pe.length>t&&Pe.sort(ia),e=Pe.shift(),t=Pe.length,8&e.__g&&Mr(e)}finally{(Ct=Pe.length)&&(vn||queueMicrotask)(ua)}}function da(e,t,a,o,r,i,s,l,c,p,d){
var g,m,u,y,$,E,B=o.__k||Mt,C=t.length;for(c=Ar(a,t,B,c,C),g=0;g<C;g++)(u=a.__k[g])!=null&&(m=~u.__i&&B[u.__i]||Tt,u.__i=g,E=xn(e,u,m,r,i,s,l,c,p,d),y=u.__e,(m.
ref!=u.ref||8&m.__u)&&(m.ref&&Sn(m.ref,null,u,m),u.ref&&d.push(u.ref,u.__c||y,u)),$=$||y,4&u.__u?(c=pa(u,c,e,!m.__v),m.__e&&(m.__e=null)):typeof u.type=="functi\
on"&&E!==void 0?c=E:y&&(c=y.nextSibling),u.__u&=-21);return a.__e=$,c}function Ar(e,t,a,o,r){var i,s,l,c,p,d,g,m,u,y=a.length,$=y,E=0,B=0,C=e.__k=Array(r);for(i=
0;i<r;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=C[i]=it(null,s):_n(s)?s=C[i]=it(f,{children:s}):
s.constructor===st&&s.__b?s=C[i]=it(s.type,s.props,s.key,s.ref,s.__v):C[i]=s,c=i+E,s.__=e,s.__b=e.__b+1,l=null,~(p=s.__i=Rr(s,a,c,$))&&($--,(l=a[p])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,p==c-1?E--:p==c+1?E++:p!=c&&(p>c?E--:E++,B=1)):(~p||(r>y?E--:r<y&&E++),typeof s.type!="function"&&(s.__u|=4))):C[i]=null;if(B){for(d=[],g=[],
i=0;i<r;i++)if((s=C[i])&&16&s.__u){for(E=0,m=d.length;E<m;)d[u=E+m>>1]<s.__i?E=u+1:m=u;d[E]=s.__i,g[i]=E+1}for(E=d.length;i--;)g[i]&&(g[i]==E?E--:C[i].__u|=4)}if($)
for(i=0;i<y;i++)!(l=a[i])||2&l.__u||(l.__e==o&&(o=Ce(l)),En(l,l));return o}function pa(e,t,a,o){var r,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&(r[i].__=e,t=pa(r[i],t,a,!1));return t}for(t&&!t.parentNode&&(t=Ce(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!o&&a.moveBefore&&s.parentNode?a.moveBefore(s,t):a.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function Rr(e,t,a,o){var r,i=e.key,s=e.type,l=t[a],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return a;if(o>(c?1:0)){for(r=a-1;r>=0;r--)if((l=
t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r;for(r=a+1;r<t.length;r++)if((l=t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r}return-1}function oa(e,t,a){a==null&&
(a=""),t[0]=="-"?e.setProperty(t,a):e[t]=a}function St(e,t,a,o,r){var i,s;if(t=="style")if(typeof a=="string")e.style.cssText=a;else{if(typeof o=="string"&&(e.style.
cssText=o=""),o)for(t in o)a&&t in a||oa(e.style,t);if(a)for(t in a)o&&a[t]==o[t]||oa(e.style,t,a[t])}else if(t[0]=="o"&&t[1]=="n")typeof a!="function"&&(a=null),
typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[t]=a,a&&o||(s=yn[t]||(yn[t]=$r(t)),(e.__a||(e.__a={}))[t]=wn,i=t!=(t=t.replace(sa,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),a?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(r=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=a??"")}catch{}if(typeof a=="function")return;a==null||a===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&a==1?"":a)}}function $r(e){
return function(t){var a=this.__e;if(a){if(a=a[e],t[Et]==null)t[Et]=wn++;else if(t[Et]<this.__a[e])return;return a(T.event?T.event(t):t)}}}function xn(e,t,a,o,r,i,s,l,c,p){
var d,g,m,u,y,$,E,B,C,L,I,k,W,ae,ge,xt,Ee,Ne,ve=t.type;if(t.constructor!==st)return null;128&a.__u&&(c=32&a.__u,d=a.__c.__z)&&(t.__u|=c,g=i=[],d.nodeType==8?l=Pt(
d,i):i.push(d),l=i[0]||l),(d=T.__b)&&d(t);e:if(typeof ve=="function"){m=s.length;try{if(B=t.props,C=(d=ve.prototype)&&d.render,L=(d=ve.contextType)&&o[d.__c],I=
d?L?L.props.value:d.__:o,(u=a.__c)?(t.__c=u,2&u.__g&&(u.__g|=1)):(C?t.__c=u=new ve(B,I):(t.__c=u=new Ve(B,I),u.constructor=ve,u.render=Lr),L&&L.sub(u),u.state||
(u.state={}),u.__n=o,u.__g|=8,u.__h=[],u.__k=[]),C&&(u.__s||(u.__s=u.state),ve.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=Oe({},u.__s)),Oe(u.__s,ve.getDerivedStateFromProps(
B,u.__s)))),y=u.props,$=u.state,u.__v=t,a.__c){if(B!==y&&C&&!ve.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(B,I),t.__v==a.
__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(B,u.__s,I)===!1){t.__v!=a.__v&&(u.props=B,u.state=u.__s,u.__g&=-9),t.__e=a.__e,t.__k=
a.__k,t.__k.some(function(ce){ce&&(ce.__=t)}),Mt.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&s.push(u),l=Ce(a);break e}u.componentWillUpdate&&u.componentWillUpdate(
B,u.__s,I),C&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(y,$,E)})}else C&&!ve.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),
C&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=I,u.props=B,u.__P=e,u.__g&=-5,k=T.__r,W=C?25:0;do u.__g&=-9,k&&k(t),d=u.render(u.props,u.state=
u.__s,u.context);while(8&u.__g&&++W<25);C&&(Mt.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(o=Oe({},o,u.getChildContext())),C&&a.__c&&u.getSnapshotBeforeUpdate&&
(E=u.getSnapshotBeforeUpdate(y,$)),ae=d&&d.type===f&&d.key==null?d.props.children:d,B.__P&&(d=l,r=(e=B.__P).namespaceURI,c=i=null,a.props&&a.props.__P!=e&&(a.__k.
some(function(ce){ce&&En(ce,ce)}),a.__k=null),l=a.__k?Ce(a,0):null),l=da(e,_n(ae)?ae:[ae],t,a,o,r,i,s,l,c,p),B.__P&&(t.__e=null,l=d),t.__u&=-161,g&&g.some(Ie),u.
__h.length&&s.push(u),1&u.__g&&(u.__g&=-4)}catch(ce){if(s.length=m,t.__v=null,c||i)if(ce&&ce.then){if(t.__u|=128|c,i){for(~(Ee=i.indexOf(l||void 0))||(Ee=i.length);(Ne=
i[Ee-1])&&Ne.nodeType==8;)Ee--;for(;Ee<i.length;Ee++)if(Ne=i[Ee])if(i[Ee]=null,ge){if(Ne==xt)break}else{if(Ne.nodeType!=8)break;Ne.data.startsWith("$s")&&(xt=Pt(
ge=Ne))}}if(!ge){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;ge=l}(d=Pt(ge=t.__c.__z||(t.__c.__z=ge)))?(t.__e=ge,l=d):t.__e=l,l=l&&l.nextSibling}else i&&
i.some(Ie);else t.__e=a.__e;t.__k||(t.__k=a.__k||[]),ce&&ce.then||ma(t),T.__e(ce,t,a)}}else l=t.__e=Br(a.__e,t,a,o,r,i,s,c,p,e);return(d=T.diffed)&&d(t),l}function Pt(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var a=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))a++;else if(e.data.startsWith("/$s")&&!--a)
return e}t&&t.push(e)}}function ma(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(ma))}function fa(e,t,a){for(var o=0;o<a.length;)Sn(a[o++],a[o++],a[o++]);T.__c&&
T.__c(t,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(i){i.call(r)})}catch(i){T.__e(i,r.__v)}})}function Br(e,t,a,o,r,i,s,l,c,p){var d,g,m,u,y,$,E,
B,C=a.props||Tt,L=t.props,I=t.type;if(I=="svg"?r="http://www.w3.org/2000/svg":I=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xht\
ml"),i){for(d=0;d<i.length;d++)if((y=i[d])&&(I?y.localName==I:y.nodeType==3)){e=y,i[d]=null;break}}if(!e){if(B=p.ownerDocument||document,!I)return B.createTextNode(
L);e=B.createElementNS(r,I,L.is?L:p),l&&(T.__m&&T.__m(t,i),l=!1),i=null}if(I){if(p=I=="template"&&e.content||e,i=I=="textarea"&&L.defaultValue!=null?null:i&&kn.
call(p.childNodes),!l&&i)for(C={},d=0;d<e.attributes.length;d++)C[(y=e.attributes[d]).name]=y.value;for(d in C)y=C[d],d=="dangerouslySetInnerHTML"?m=y:d=="child\
ren"||d in L||d=="value"&&"defaultValue"in L||d=="checked"&&"defaultChecked"in L||St(e,d,null,y,r);for(d in L)y=L[d],d=="children"?u=y:d=="dangerouslySetInnerHT\
ML"?g=y:d=="value"?$=y:d=="checked"?E=y:l&&typeof y!="function"||C[d]===y||St(e,d,y,C[d],r);g?(l||m&&(g.__html==m.__html||g.__html==e.innerHTML)||(e.innerHTML=g.
__html),t.__k=[]):(m&&(e.textContent=""),(I=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Tr.test(I))&&(r="http://www.w3.org/1999/xhtml"),da(p,_n(u)?
u:[u],t,a,o,r,i,s,i?i[0]:a.__k&&Ce(a,0),l,c),i&&i.some(Ie)),l&&I!="textarea"||(d="value",I=="progress"&&$==null?e.removeAttribute(d):$==null||$===e[d]&&(I!="pro\
gress"||$)||St(e,d,$,C[d],r),d="checked",E!=null&&E!=e[d]&&St(e,d,E,C[d],r))}else C===L||l&&e.data==L||(e.data=L);return e}function Sn(e,t,a,o){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:o&&(o=o.__c||o.__e)&&(t=o.__x)&&(o.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(r){T.__e(r,a)}}function En(e,t,a){var o,
r,i,s;if(T.unmount&&T.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||Sn(o,null,t,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){
T.__e(l,t)}o.__P=o.__n=null}if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&En(o[s],t,typeof e.type!="function"||a&&!e.props.__P);!a&&(o=e.__c)&&(o=o.__z)&&(r=Pt(o,i=[]))&&
(o==e.__e&&i.some(Ie),Ie(r),Ie(o)),a||Ie(e.__e),e.__e=e.__c=e.__=null}function Lr(e,t,a){return this.constructor(e,a)}function ha(e,t){var a,o,r,i;T.__&&T.__(e,
t),t.nodeType==9&&(t=t.documentElement),o=(a=e&&32&e.__u)?null:t.__k,t.__k=it(f,{children:[e]}),r=[],i=[],xn(t,t.__k,o||Tt,Tt,t.namespaceURI,o?null:t.firstChild?
kn.call(t.childNodes):null,r,o?o.__e:t.firstChild,a,i),fa(r,t.__k,i),t.__k.props.children=null}T={__e:function(e,t,a,o){for(var r,i,s;t=t.__;)if((r=t.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(i=r.constructor)&&i.getDerivedStateFromError)&&r.setState(i.getDerivedStateFromError(
e)),r.componentDidCatch&&(r.componentDidCatch(e,o||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(l){e=l}}throw Ct=0,e}},ra=0,bn=function(e){return e!=null&&e.
constructor===st},Ve.prototype.setState=function(e,t){var a=this.__s;a&&a!=this.state||(a=this.__s=Oe({},this.state)),typeof e=="function"&&(e=e(Oe({},a),this.props)),
e&&(Oe(a,e),this.__v&&(t&&this.__k.push(t),aa(this)))},Ve.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),aa(this))},Ve.prototype.render=
f,Pe=[],Ct=0,ia=function(e,t){return e.__v.__b-t.__v.__b},Et=Symbol(),sa=/(PointerCapture)$|Capture$/i,wn=0,yn={},Cr=0;var Je,D,Pn,ga,Cn=Object.is,At=0,Ea=[],Tn=[],z=T,va=z.__b,ya=z.__r,ba=z.diffed,wa=z.__c,_a=z.unmount,ka=z.__;function ct(e,t){z.__h&&z.__h(D,e,At||t),At=0;var a=D.
__H||(D.__H={__:[],__h:[]});return e>=a.__.length&&a.__.push({}),a.__[e]}function ye(e){return At=1,Nr(Pa,e)}function Nr(e,t,a){var o=ct(Je++,2);if(o.t=e,!o.__c&&
(o.__=[a?a(t):Pa(void 0,t),function(i){var s=(o.__N||o.__)[0],l=o.t(s,i);Cn(s,l)||(o.__N=[l,o.__[1]],o.__c.setState({}))}],o.__c=D,!D.__f)){D.__f=!0;var r=D.shouldComponentUpdate;
D.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var p=!1,d=this.props!=i;if(c.__.some(function(m){m.__N&&(p=!0,Cn(m.__[0],m.__N[0])||(d=!0))}),
r){var g=r.call(this,i,s,l);return p?g||d:g}return!p||d}}return o.__}function P(e,t){var a=ct(Je++,3);!z.__s&&An(a.__H,t)&&(a.__P=!0,a.__=e,a.u=t,D.__H.__h.push(
a))}function Fe(e,t){var a=ct(Je++,4);!z.__s&&An(a.__H,t)&&(a.__P=!1,a.__=e,a.u=t,D.__h.push(a))}function F(e){return At=5,oe(function(){return{current:e}},[])}function oe(e,t){var a=ct(Je++,7);return An(a.__H,t)&&(a.__=e(),a.__H=t),a.__}function Rt(){var e=ct(Je++,11);if(!e.__){for(var t=D.__v;!t.__m&&t.__;)t=t.__;var a=t.__m||(t.__m=[0,0]);e.__="P"+a[0]+"-"+a[1]++}return e.__}function Ir(){var e;
do{for(;e=Tn.shift();)try{lt(e)}catch(a){z.__e(a,{__:(e=e.__P)&&e.__v})}for(;e=Ea.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(lt),t.__h.some(Mn),t.__h=[]}catch(a){
t.__h=[],z.__e(a,e.__v)}}}while(Tn.length)}z.__b=function(e){D=null,va&&va(e)},z.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),ka&&ka(e,t)},z.__r=function(e){
ya&&ya(e),Je=0;var t=(D=e.__c).__H;t&&(Pn==D?D.__h=[]:(t.__h.some(lt),t.__h.some(Mn),Je=0),t.__h=[],t.__.some(function(a){a.__N&&(a.__=a.__N),a.u=a.__N=void 0})),
Pn=D},z.diffed=function(e){ba&&ba(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Sa(Ea.push(t)),t.__H.__.some(function(a){a.u&&(a.__H=a.u)})),Pn=D=null},z.__c=function(e,t){
t.some(function(a){try{a.__h.some(lt),a.__h=a.__h.filter(function(o){return!o.__||Mn(o)})}catch(o){a.__h=[function(){throw o}]}}),wa&&wa(e,t)},z.unmount=function(e){
_a&&_a(e);var t,a,o=e.__c;o&&o.__H&&(o.__H.__.some(function(r){try{if(r.__P&&r.__c){if(a===void 0){for(a=e.__;a&&(!a.__c||!a.__c.__P);)a=a.__;a=a&&a.__c}r.__P=a,
Sa(Tn.push(r))}else lt(r)}catch(i){t=i}}),o.__H=void 0,t&&z.__e(t,o.__v))};var xa=typeof requestAnimationFrame=="function";function Or(e){var t,a=function(){clearTimeout(
o),xa&&cancelAnimationFrame(t),setTimeout(e)},o=setTimeout(a,35);xa&&(t=requestAnimationFrame(a))}function Sa(e){e!=1&&ga==z.requestAnimationFrame||((ga=z.requestAnimationFrame)||
Or)(Ir)}function lt(e){var t=D,a=e.__c;typeof a=="function"&&(e.__c=void 0,a()),D=t}function Mn(e){var t=D;e.__c=e.__(),D=t}function An(e,t){return!e||e.length!=
t.length||t.some(function(a,o){return!Cn(a,e[o])})}function Pa(e,t){return typeof t=="function"?t(e):t}var Jr=Symbol.for("preact-signals");function Nt(){if(be>1)be--;else{var e,t=!1;for((function(){var r=Bt;for(Bt=void 0;r!==void 0;){var i=r.S;if(i.v===r.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===r.i&&(s.i=i.i);r=r.o}})();dt!==void 0;){var a=dt;for(dt=void 0,$t++;a!==void 0;){var o=a.u;if(a.u=void 0,a.f&=-3,!(8&a.f)&&Ta(a))try{a.
c()}catch(r){t||(e=r,t=!0)}a=o}}if($t=0,be--,t)throw e}}function Ge(e){if(be>0)return e();Rn=++Fr,be++;try{return e()}finally{Nt()}}var ut,O=void 0;function pt(e){
var t=O,a=ut;O=void 0,ut=void 0;try{return e()}finally{O=t,ut=a}}var dt=void 0,be=0,$t=0,Fr=0,Rn=0,Bt=void 0,Lt=0;function Ca(e){if(O!==void 0){var t=e.n;if(t===
void 0||t.t!==O)return t={i:0,S:e,p:O.s,n:void 0,t:O,e:void 0,x:void 0,r:t},O.s!==void 0&&(O.s.n=t),O.s=t,e.n=t,32&O.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=O.s,t.n=void 0,O.s.n=t,O.s=t),t}}function G(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}G.prototype.brand=Jr;G.prototype.h=function(){return!0};G.prototype.S=function(e){var t=this,a=this.t;a!==e&&e.
e===void 0&&(e.x=a,this.t=e,a!==void 0?a.e=e:pt(function(){var o;(o=t.W)==null||o.call(t)}))};G.prototype.U=function(e){var t=this;if(this.t!==void 0){var a=e.e,
o=e.x;a!==void 0&&(a.x=o,e.e=void 0),o!==void 0&&(o.e=a,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&pt(function(){var r;(r=t.Z)==null||r.call(t)}))}};G.prototype.
subscribe=function(e){var t=this;return we(function(){var a=t.value;pt(function(){return e(a)})},{name:"sub"})};G.prototype.valueOf=function(){return this.value};
G.prototype.toString=function(){return this.value+""};G.prototype.toJSON=function(){return this.value};G.prototype.peek=function(){var e=this;return pt(function(){
return e.value})};Object.defineProperty(G.prototype,"value",{get:function(){var e=Ca(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){
if($t>100)throw new Error("Cycle detected");(function(a){be!==0&&$t===0&&a.l!==Rn&&(a.l=Rn,Bt={S:a,v:a.v,i:a.i,o:Bt})})(this),this.v=e,this.i++,Lt++,be++;try{for(var t=this.
t;t!==void 0;t=t.x)t.t.N()}finally{Nt()}}}});function x(e,t){return new G(e,t)}function Ta(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.
i)return!0;return!1}function Ma(e){for(var t=e.s;t!==void 0;t=t.n){var a=t.S.n;if(a!==void 0&&(t.r=a),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function Aa(e){
for(var t=e.s,a=void 0;t!==void 0;){var o=t.p;t.i===-1?(t.S.U(t),o!==void 0&&(o.n=t.n),t.n!==void 0&&(t.n.p=o)):a=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=o}e.s=
a}function Xe(e,t){G.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Lt-1,this.f=4}Xe.prototype=new G;Xe.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;
if((36&this.f)==32||(this.f&=-5,this.g===Lt))return!0;if(this.g=Lt,this.f|=1,this.i>0&&!Ta(this))return this.f&=-2,!0;var e=O;try{Ma(this),O=this;var t=this.x();
(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(a){this.v=a,this.f|=16,this.i++}return O=e,Aa(this),this.f&=-2,!0};Xe.prototype.S=function(e){
if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}G.prototype.S.call(this,e)};Xe.prototype.U=function(e){if(this.t!==void 0&&(G.prototype.
U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};Xe.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==
void 0;e=e.x)e.t.N()}};Object.defineProperty(Xe.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Ca(this);if(this.h(),e!==void 0&&
(e.i=this.i),16&this.f)throw this.v;return this.v}});function re(e,t){return new Xe(e,t)}function Ra(e){var t=e.j;if(e.j=void 0,typeof t=="function"){be++;var a=O;
O=void 0;try{t()}catch(o){throw e.f&=-2,e.f|=8,$n(e),o}finally{O=a,Nt()}}}function $n(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,Ra(e)}function Xr(e){
if(O!==this)throw new Error("Out-of-order effect");Aa(this),O=e,this.f&=-2;try{8&this.f&&$n(this)}finally{Nt()}}function Ke(e,t){this.x=e,this.j=void 0,this.s=void 0,
this.u=void 0,this.f=32,this.name=t?.name,ut&&ut.push(this)}Ke.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==
"function"&&(this.j=t)}finally{e()}};Ke.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,Ra(this),Ma(this),be++;var e=O;
return O=this,Xr.bind(this,e)};Ke.prototype.N=function(){2&this.f||(this.f|=2,this.u=dt,dt=this)};Ke.prototype.d=function(){this.f|=8,1&this.f||$n(this)};Ke.prototype.
dispose=function(){this.d()};function we(e,t){var a=new Ke(e,t);try{a.c()}catch(r){throw a.d(),r}var o=a.d.bind(a);return o[Symbol.dispose]=o,o}var $a,ft,It,Wr=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Ba=[];we(function(){$a=this.N})();function Qe(e,t){T[e]=t.bind(null,T[e]||function(){})}function mt(e){if(It){var t=It;It=void 0,t()}It=e&&e.S()}function La(e){
var t=this,a=e.data,o=b(a);o.name="ReactiveDom",o.value=a;var r=oe(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var p=re(function(){var u=o.
value.value;return u===0?0:u===!0?"":u||""}),d=re(function(){return!Array.isArray(p.value)&&!bn(p.value)}),g=we(function(){if(this.N=Na,d.value){var u=p.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=u)}}),m=t.__$u.d;return t.__$u.d=function(){g(),m.call(this)},[d,p]},[]),i=r[0],s=r[1];return i.value?s.
peek():s.value}La.displayName="ReactiveTextNode";Object.defineProperties(G.prototype,{constructor:{configurable:!0,value:la(f,null).constructor},type:{configurable:!0,
value:La},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Qe("__b",function(e,t){if(mt(),
ft=void 0,typeof t.type=="string"){var a,o=t.props;for(var r in o)if(r!=="children"){var i=o[r];i instanceof G&&(a||(t.__np=a={}),a[r]=i,o[r]=i.peek())}}e(t)});
Qe("__r",function(e,t){if(e(t),t.type!==f){mt();var a,o=t.__c;o&&(o.__$f&=-2,(a=o.__$u)===void 0&&(o.__$u=a=(function(r,i){var s;return we(function(){s=this},{name:i}),
s.c=r,s})((function(r){return function(){var i;Wr&&((i=this.y)==null||i.call(this)),r.__$f|=1,r.setState({})}})(o),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),ft=o,mt(a)}});Qe("__e",function(e,t,a,o){mt(),ft=void 0,e(t,a,o)});Qe("diffed",function(e,t){mt(),ft=void 0;var a;if(typeof t.type=="string"&&
(a=t.__e)){var o=t.__np,r=t.props,i=a.U;if(i)for(var s in i){var l=i[s];l===void 0||o&&s in o||(l.d(),i[s]=void 0)}if(o){i||(i={},a.U=i);for(var c in o){var p=i[c],
d=o[c];p===void 0?(p=qr(a,c,d,r),i[c]=p):p.o(d,r)}}}e(t)});function qr(e,t,a,o){var r=t in e&&e.ownerSVGElement===void 0,i=x(a);return{o:function(s,l){i.value=s,
o=l},d:we(function(){this.N=Na;var s=i.value.value;o[t]!==s&&(o[t]=s,r?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}Qe("unm\
ount",function(e,t){if(typeof t.type=="string"){var a=t.__e;if(a){var o=a.U;if(o){a.U=void 0;for(var r in o){var i=o[r];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var c in s)l[c]=s[c]}t.__np=void 0}else{var p=t.__c;if(p){p.__$f|=8;var d=p.__$u;d&&(p.__$u=void 0,d.d())}}e(t)});Qe("__h",function(e,t,a,o){o<3&&(t.__$f|=2),
e(t,a,o)});Ve.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var a=this.__$u,o=a&&a.s!==void 0;for(var r in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(o||i||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function b(e,t){return oe(function(){return x(e,t)},[])}function We(e,t){
var a=F(e);return a.current=e,ft.__$f|=4,oe(function(){return re(function(){return a.current()},t)},[])}var zr=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Dr(){Ge(function(){for(var e;e=Ba.shift();)$a.call(e)})}function Na(){Ba.push(this)===1&&(T.requestAnimationFrame||zr)(Dr)}var Ia="manyhands-theme",ht=x(Hr());function Hr(){try{let e=localStorage.getItem(Ia);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function Oa(e){
ht.value=e;try{localStorage.setItem(Ia,e)}catch{}Bn()}function Bn(){let e=document.documentElement;ht.value==="system"?delete e.dataset.theme:e.dataset.theme=ht.
value,Ja.value+=1}var Ja=x(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{Ja.value+=1});var Ye=x(Ln(location.hash)),Ot=re(()=>Ye.value);addEventListener("hashchange",()=>{Ye.value=Ln(location.hash)});function Ln(e){let t=e.replace(/^#\/?/,""),a=t.indexOf(
"?"),o=(a<0?t:t.slice(0,a)).split("/").filter(Boolean).map(Ur),r=Object.create(null);if(a>=0)for(let[i,s]of new URLSearchParams(t.slice(a+1)))s&&(r[i]=s);return{
path:o,choices:r}}function Ur(e){try{return decodeURIComponent(e)}catch{return e}}function ie(e,t={}){let a=new URLSearchParams;for(let[r,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&a.set(r,String(i));let o=a.toString();return`#/${e.map(encodeURIComponent).join("/")}${o&&`?${o}`}`}function Y(e,t={},{replace:a=!1}={}){
let o=ie(e,t);o!==location.hash&&(a?history.replaceState(null,"",o):history.pushState(null,"",o),Ye.value=Ln(o))}function U(e,{replace:t=!0}={}){Y(Ye.value.path,
{...Ye.value.choices,...e},{replace:t})}function M(e,t=""){return Ye.value.choices[e]??t}var _e=class extends Error{constructor(a){super(a.detail||a.title);this.problem=a;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},Fa={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function Jt(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let a=await e.json();return typeof a=="object"&&a!==null?
{...t,...a}:t}catch{return t}}function se(e){return e instanceof _e?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var jr="/api/v1",Vr=3e4,Ft=new Set;function Wa(e){return Ft.add(e),()=>Ft.delete(e)}function qe(e,t={}){let a=new URLSearchParams;for(let[r,i]of Object.entries(
t))i!=null&&i!==""&&a.set(r,String(i));let o=a.toString();return`${jr}${e}${o?`?${o}`:""}`}var R=encodeURIComponent;async function ze(e,t={}){let a={Accept:"app\
lication/json",...t.headers},o;t.text?(a["Content-Type"]=t.text.type,o=t.text.content):t.body!==void 0&&(a["Content-Type"]="application/json",o=JSON.stringify(t.
body));let r=AbortSignal.timeout(Vr),i=t.signal?AbortSignal.any([t.signal,r]):r,s;try{s=await fetch(qe(e,t.query),{method:t.method??"GET",headers:a,signal:i,credentials:"\
same-origin",...o===void 0?{}:{body:o}})}catch(l){throw t.signal?.aborted?l:Xa(new _e(Fa))}if(!s.ok&&s.status!==304)throw Xa(new _e(await Jt(s)));return Ft.forEach(
l=>l(null)),s}async function A(e,t,a){let o={...t?{query:t}:{},...a?{signal:a}:{}};return await(await ze(e,o)).json()}async function X(e,t,a){let o=await ze(t,{
method:e,...a===void 0?{}:{body:a}});return o.status===204?void 0:await o.json()}function Xa(e){return Ft.forEach(t=>t(e)),e}var ue=x({kind:"asking"}),qa=re(()=>ue.value),Nn=["read","submit","operate","approve"],za={read:"look at everything",submit:"submit work, and change your own",operate:"\
change everybody's work, and phones",approve:"change everybody's work, and phones"};function In(){return ue.value.kind==="in"?ue.value.status.role:null}function Te(){
return ue.value.kind==="in"?ue.value.status.owner:""}function te(e,t){let a=In();if(a===null)return"Sign in first.";let o=Nn.indexOf(a);return o<Nn.indexOf(e)?`\
Your role is ${a}. This needs the role ${e}.`:t!==void 0&&t!==Te()&&o<Nn.indexOf("operate")?`This belongs to ${t}. To change the work of others, you need the ro\
le operate.`:null}async function Da(){Wa(t=>{t?.needsSignIn&&ue.value.kind==="in"&&(ue.value={kind:"out",problem:t.problem})});let e=Gr();if(e!==null)return await On(
e);try{ue.value={kind:"in",status:await A("/session")}}catch(t){let a=se(t);ue.value={kind:"out",problem:a.status===401?null:a}}}async function On(e){try{let t=await ze(
"/session",{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});ue.value={kind:"in",status:await t.json()}}catch(t){ue.value={kind:"out",problem:se(t)}}}
async function Ha(){await X("DELETE","/session"),ue.value={kind:"out",problem:null}}function Gr(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);return e===
null?null:(Y([],{},{replace:!0}),decodeURIComponent(e[1]??"")||null)}var Ua=x(Date.now()/1e3),Kr,de=re(()=>Ua.value);function ja(){Kr??=setInterval(()=>{document.hidden||(Ua.value=Date.now()/1e3)},1e3)}var Qr=Symbol.for("pv"),Yr=0;function n(e,t,a,o,r,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var p={type:e,props:c,key:a,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:Qr,__v:--Yr,__i:-1,__u:0};return(r||i)&&(p.__source=r,p.__self=i),T.vnode&&T.vnode(p),p}var Zr={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function v({name:e,size:t=16,label:a}){return n("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:a?"img":void 0,"aria-label":a,"aria-hidden":a?void 0:"true",focusable:"false",children:n("path",{d:Zr[e]})})}var Va=x([]),Ga=re(()=>{let e=Va.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function Jn(e){
Va.value=e}var Xt=class{#t="";#e=[];#n=null;take(t){let a=[],o=(this.#t+t).split(/\r?\n/);this.#t=o.pop()??"";for(let r of o)this.#a(r,a);return a}#a(t,a){if(t===""){(this.#e.
length>0||this.#n!==null)&&a.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let o=t.indexOf(":");if(o===0)return;let r=o<0?t:t.slice(0,o),i=o<0?"":t.slice(o+1).replace(/^ /,"");r==="data"?this.#e.push(
i):r==="id"&&!i.includes("\0")&&(this.#n=i)}};var ei=500,ti=15e3,ni=4e4,Me=class{#t=x("connecting");#e;#n=new AbortController;#a=0;#s=null;#o=null;#i=!1;constructor(t){this.#e=t,addEventListener("online",this.#l),
addEventListener("offline",this.#r),document.addEventListener("visibilitychange",this.#c),this.#d()}get state(){return this.#t}close(){this.#i=!0,this.#t.value=
"closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#r),document.removeEventListener("visibilitychange",this.#c),this.#r(),this.#l()}#r=()=>this.#n.
abort();#l=()=>{this.#o?.()};#c=()=>{document.hidden?this.#r():this.#l()};async#d(){for(;!this.#i;){if(document.hidden){await this.#u(null);continue}try{await this.#p()}catch(a){
a instanceof _e&&a.needsSignIn&&(this.#a=6)}if(this.#i)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.min(ti,ei*2**this.#a++);await this.#u(
t*(.75+Math.random()/2))}}async#p(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#s!==null&&(t["Last-Event-ID"]=this.#s);let a=qe(this.#e.
path,this.#e.query?.()??{}),o=await fetch(a,{headers:t,signal:this.#n.signal,credentials:"same-origin"});if(!o.ok||o.body===null)throw new _e(await Jt(o));this.#a=
0,this.#t.value="open",this.#e.onOpen?.();let r=new Xt,i=o.body.pipeThrough(new TextDecoderStream).getReader();for(;;){let s=setTimeout(this.#r,ni),{done:l,value:c}=await i.
read().finally(()=>clearTimeout(s));if(l)return;for(let p of r.take(c))p.id!==null&&(this.#s=p.id),p.data!==""&&this.#e.onEvent(p)}}#u(t){return new Promise(a=>{
let o=t===null?void 0:setTimeout(a,t);this.#o=()=>{clearTimeout(o),a()}}).then(()=>{this.#o=null})}};var ai=300,Wt=new Set,qt=null,Fn=x([]);function Ze(e){return Wt.add(e),()=>Wt.delete(e)}function Ka(){return qt??=new Me({path:"/events",onOpen:()=>Wt.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>oi(JSON.parse(e))}),qt}function Qa(){qt?.close(),qt=null,Fn.value=[]}function oi(e){e.kind!=="task.step"&&(Fn.value=[e,...Fn.value].
slice(0,ai)),Wt.forEach(t=>t.onEvent?.(e))}var ke=new Map,gt=x(0),Xn=x(!1),zt=null,Dt=gt,Ht=Xn;function Ya(){return zt??=new Me({path:"/wall",onEvent:({data:e})=>ri(JSON.parse(e))}),zt}function Za(){zt?.
close(),zt=null,ke.clear(),Ge(()=>{Xn.value=!1,gt.value++})}function et(){return gt.value,[...ke.values()].map(e=>e.peek()).sort((e,t)=>li(e.serial,t.serial))}function Ut(e){
return ke.get(e)}function eo(e){let t=ke.get(e.serial);t!==void 0&&(t.value={...t.peek(),...e},gt.value++)}function ri(e){Ge(()=>{if(e.is_whole){let t=new Set(e.
phones.map(a=>a.serial));for(let a of ke.keys())t.has(a)||ke.delete(a)}for(let t of e.gone)ke.delete(t);for(let t of e.phones)ii(t);Xn.value=!0,gt.value++})}function ii(e){
let t=ke.get(e.serial);if(t===void 0){ke.set(e.serial,x(e));return}let a=t.peek(),o=e.thumbnail==null&&a.screen===e.screen;t.value=o?{...e,thumbnail:a.thumbnail??
null}:e}var si=new Intl.Collator("en",{numeric:!0});function li(e,t){return si.compare(e,t)}var ci=1500,ui=3e3;function to(){let e=b("nothing"),t=Ga.value;return P(()=>{if(t==="lost"&&e.value!=="lost"){let a=setTimeout(()=>e.value="lost",ci);return()=>clearTimeout(
a)}if(t==="connected"&&e.value==="lost"){e.value="back";let a=setTimeout(()=>e.value="nothing",ui);return()=>clearTimeout(a)}},[t]),n("div",{class:"connection",
role:"status",children:[e.value==="lost"&&n("p",{class:"connection-lost",children:[n(v,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&n("p",{class:"connection-back",children:[n(v,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function S({icon:e,label:t,kind:a="plain",pressed:o,children:r,class:i,...s}){return n("button",{type:"button",...s,class:`button button-${a}${e&&!r?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":o,children:[e&&n(v,{name:e}),r]})}function no(e){let t=F(null),a=Rt();return P(()=>{let o=t.current;return o?.showModal(),()=>o?.close()},[]),n("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":a,onCancel:o=>{o.preventDefault(),e.onClose()},onClick:o=>o.target===t.current&&e.onClose(),children:n("div",{class:"dialog-inside",children:[
n("header",{class:"dialog-head",children:[n("h2",{id:a,children:e.title}),n(S,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),n("div",{class:"di\
alog-body",children:e.children}),e.foot&&n("footer",{class:"dialog-foot",children:e.foot})]})})}var De=x([]);function jt(e,t){let a=F(t);a.current=t;let o=t.map(r=>`${r.key} ${r.does}`).join(`
`);P(()=>{let r={title:e,keys:a.current.map((i,s)=>({...i,run:()=>a.current[s]?.run()}))};return De.value=[...De.value,r],()=>{De.value=De.value.filter(i=>i!==r)}},
[e,o])}function di(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof HTMLTextAreaElement||
e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||di(e.target)||document.
querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof HTMLElement&&e.target.
closest("button, a, summary, input")))for(let a of[...De.value].reverse()){let o=a.keys.find(r=>r.key===t);if(o){e.preventDefault(),o.run();return}}});var pi={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function ao(){let[e,t]=ye(!1);return jt("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),n(f,{children:[n(S,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&n(no,{title:"Keys",onClose:()=>t(
!1),children:[...De.value].reverse().map(a=>n("section",{class:"keyhelp",children:[n("h3",{children:a.title}),n("dl",{children:a.keys.map(o=>n("div",{children:[
n("dt",{children:o.key.split("+").map(r=>n("kbd",{children:pi[r]??r},r))}),n("dd",{children:o.does})]},o.key))})]},a.title))})]})}var mi=new Intl.NumberFormat("en",{maximumFractionDigits:0}),oo=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),fi=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),bc=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),Z="\u2013";function w(e){return e==
null?Z:mi.format(e).replace("-","\u2212")}function le(e){if(e==null||Number.isNaN(e))return Z;let t=Math.abs(e),a=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:2;
return e.toLocaleString("en",{maximumFractionDigits:a}).replace("-","\u2212")}function pe(e){if(e==null||Number.isNaN(e))return Z;if(e<0)return"\u2212"+pe(-e);if(e===
0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\xA0s`;
if(t<3600)return Wn(Math.floor(t/60),"min",t%60,"s");let a=Math.round(e/60);if(a<1440)return Wn(Math.floor(a/60),"h",a%60,"min");let o=Math.round(e/3600);return Wn(
Math.floor(o/24),"d",o%24,"h")}function Wn(e,t,a,o){let r=`${e}\xA0${t}`;return a?`${r}\xA0${a}\xA0${o}`:r}function Ae(e){if(e==null||Number.isNaN(e))return Z;let t=e*
100;return`${t!==0&&Math.abs(t)<9.95?hi(t.toFixed(1)):Math.round(t)}\xA0%`}function hi(e){return e.replace(/\.0$/,"")}function qn(e){if(e==null)return Z;for(let[
t,a]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${le(Number((e/t).toPrecision(3)))}\xA0${a}`;return le(e)}function Vt(e){return e==null?Z:oo.format(e*1e3)}function Q(e){return e==null?Z:`${fi.format(e*1e3)}, ${oo.format(e*1e3)}`}function j(e,t,a=`${t}s`){return`${w(e)}\xA0${e===1?t:a}`}var ro="Manyhands",gi=1500,vi=3e4,He=x(null),vt=x(null),Gt=x(""),Kt,zn=!1;function io(){zn=!0;let e=Ze({onEvent:a=>{yi(a)&&Re()},onOpen:()=>Re(0)}),t=we(()=>{let a=He.
value?.open??0;document.title=`${a>0?`(${a}) `:""}${Gt.value?`${Gt.value} \xB7 `:""}${ro}`});return so(),()=>{zn=!1,clearTimeout(Kt),Kt=void 0,e(),t(),He.value=
null,document.title=ro}}function Re(e=gi){clearTimeout(Kt),Kt=setTimeout(()=>{so()},e)}async function so(){try{He.value=await A("/attention"),vt.value=null}catch(e){
vt.value=se(e)}zn&&Re(vi)}function yi(e){return e.kind==="task.failed"||e.kind==="task.retried"||/^(phone|model)\./.test(e.kind)}function N(e){let t=b(!1),a=b(null),o=b(null),r=()=>{a.value=null,o.value=null};return{isRunning:t,problem:a,result:o,run:async(...s)=>{if(t.value)return!1;t.value=
!0,r();try{return o.value=await e(...s)??null,!0}catch(l){return a.value=se(l),!1}finally{t.value=!1}},forget:r}}function _({problem:e,children:t}){return n("div",{class:"note note-bad",role:"alert",children:[n(v,{name:"warning"}),n("div",{class:"note-body",children:[n("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&n("p",{class:"said",children:e.detail}),e.mistakes.length>0&&n("ul",{class:"note-list",
children:e.mistakes.map(a=>n("li",{class:"said",children:a},a))}),t]})]})}function ee(e){let t=e.tone??"good";return n("div",{class:`note note-${t}`,role:"statu\
s",children:[n(v,{name:t==="good"?"check":t==="warn"?"warning":"info"}),n("div",{class:"note-body",children:e.children})]})}var bi=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function lo(){let e=Rt(),
t=N(Ha),a=In();return n("div",{class:"person",children:[n("button",{type:"button",class:"person-button",popovertarget:e,"aria-label":`Signed in as ${Te()}: menu`,
children:[n("span",{class:"person-initial","aria-hidden":"true",children:Te().slice(0,1).toUpperCase()}),n("span",{class:"person-name",children:[n("span",{class:"\
clip",children:Te()}),n("span",{class:"person-role",children:a})]})]}),n("div",{id:e,class:"person-menu",popover:"auto",children:[n("p",{children:[n("strong",{class:"\
said",children:Te()}),n("br",{}),n("span",{class:"quiet",children:["Role ",a,": ",a&&za[a],"."]})]}),n("fieldset",{class:"person-themes",children:[n("legend",{children:"\
Colours"}),bi.map(o=>n(S,{kind:"quiet",icon:o.icon,label:o.name,pressed:ht.value===o.theme,onClick:()=>Oa(o.theme)},o.theme))]}),n("a",{class:"person-link",href:"\
/docs",children:[n(v,{name:"book"})," All requests of this service"]}),n(S,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign out"}),t.problem.value&&
n(_,{problem:t.problem.value})]})]})}var h={fleet:(e={})=>ie(["fleet"],e),phone:(e,t={})=>ie(["phones",e],t),work:(e={})=>ie(["work"],e),submit:(e={})=>ie(["work","submit"],e),schedules:(e={})=>ie(
["work","schedules"],e),newSchedule:()=>ie(["work","schedules","new"]),batch:(e,t={})=>ie(["batches",e],t),task:e=>ie(["tasks",e]),episode:(e,t={})=>ie(["episod\
es",e],t),attention:(e={})=>ie(["attention"],e),health:(e={})=>ie(["health"],e)};function co(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"\
schedules":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var Dn=6,wi=[{href:h.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:h.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:h.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:h.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:h.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:h.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function po(e,t,a){let o=e.
trim().toLowerCase(),r=wi.filter(s=>Qt(o,s.name,s.about));if(o==="")return a(r);let i=et().filter(s=>Qt(o,s.serial,s.labels?.model,s.goal)).slice(0,Dn).map(s=>{
let l=s.labels?.model??"";return{href:h.phone(s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});a([...i,...r]);try{let[s,l]=await Promise.all(
[_i(o,t),ki(o,t)]);t.aborted||a([...s,...l,...i,...r])}catch{}}function Qt(e,...t){return t.some(a=>a?.toLowerCase().includes(e))}async function _i(e,t){return(await A(
"/batches",{limit:200},t)).items.filter(o=>Qt(e,o.id,o.name,o.owner,...o.tags)).slice(0,Dn).map(o=>({href:h.batch(o.id),icon:"layers",name:o.name||o.id,about:`${o.
id} \xB7 ${o.owner} \xB7 ${o.phase}`}))}async function ki(e,t){if(/^b\d+\.[a-z0-9_.-]+$/i.test(e))try{return[uo(await A(`/tasks/${R(e)}`,{},t))]}catch{return[]}
return(await A("/tasks",{phase:"running",limit:500},t)).items.filter(o=>Qt(e,o.id,o.goal,o.phone)).slice(0,Dn).map(uo)}function uo(e){return{href:h.task(e.id),icon:"\
list",name:e.goal,about:`${e.id} \xB7 ${e.ending??e.phase}`}}var Hn=x(!1),xi=120;function yt(){Hn.value=!0}function mo(){return jt("Everywhere",[{key:"/",does:"search",run:yt},{key:"1",does:"Fleet",run:()=>Y(["fleet"])},{
key:"2",does:"Work",run:()=>Y(["work"])},{key:"3",does:"Attention",run:()=>Y(["attention"])},{key:"4",does:"Health",run:()=>Y(["health"])},{key:"n",does:"submit\
 a batch",run:()=>Y(["work","submit"])}]),P(()=>{let e=t=>{t.key.toLowerCase()!=="k"||!(t.ctrlKey||t.metaKey)||(t.preventDefault(),yt())};return addEventListener(
"keydown",e),()=>removeEventListener("keydown",e)},[]),Hn.value?n(Si,{}):null}function Si(){let e=F(null),t=b(""),a=b([]),o=b(0);P(()=>e.current?.showModal(),[]),
P(()=>{let l=new AbortController,c=setTimeout(()=>{po(t.value,l.signal,p=>{a.value=p,o.value=0})},xi);return()=>{clearTimeout(c),l.abort()}},[t.value]);let r=()=>{
Hn.value=!1},i=l=>{let c=a.value.length;if(l.key==="ArrowDown"&&c>0)o.value=(o.value+1)%c;else if(l.key==="ArrowUp"&&c>0)o.value=(o.value+c-1)%c;else if(l.key===
"Enter"){let p=a.value[o.value];if(p===void 0)return;location.hash=p.href,r()}else return;l.preventDefault()},s=a.value[o.value];return n("dialog",{ref:e,class:"\
palette","aria-label":"Search",onClose:r,onClick:l=>{l.target===e.current&&r()},children:[n("div",{class:"palette-field",children:[n(v,{name:"search"}),n("input",
{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","aria-expanded":"true","aria-controls":"palette-found",
"aria-activedescendant":s?`palette-${o.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.
value=l.currentTarget.value,onKeyDown:i}),n("kbd",{children:"Esc"})]}),n("ul",{class:"palette-found",id:"palette-found",role:"listbox","aria-label":"What was fo\
und",children:a.value.map((l,c)=>n("li",{id:`palette-${c}`,role:"option","aria-selected":c===o.value,class:"palette-entry",onPointerMove:()=>o.value=c,onClick:()=>{
location.hash=l.href,r()},children:[n(v,{name:l.icon}),n("span",{class:"clip",children:l.name}),n("span",{class:"palette-about clip",children:l.about})]},l.href))}),
t.value!==""&&a.value.length===0&&n("p",{class:"palette-nothing quiet",children:"Nothing has these letters. Batches and tasks are found by name, goal or id."})]})}function Yt(){return n("span",{class:"wordmark",children:[n("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[n("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),n("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),n("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var Ei=[{section:"fleet",name:"Fleet",icon:"phone",href:h.fleet()},{section:"work",name:"Work",icon:"layers",href:h.work()},{section:"attention",name:"Attention",
icon:"warning",href:h.attention()},{section:"health",name:"Health",icon:"chart",href:h.health()}];function fo(){let e=co(Ot.value.path);return n("header",{class:"\
navigation",children:[n("a",{class:"navigation-home",href:h.fleet(),"aria-label":"Manyhands, the fleet",children:n(Yt,{})}),n("button",{type:"button",class:"nav\
igation-search",onClick:yt,children:[n(v,{name:"search"}),n("span",{children:"Search"}),n("kbd",{"aria-hidden":"true",children:"/"})]}),n("nav",{class:"navigati\
on-list","aria-label":"Sections",children:Ei.map(t=>n("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[n(v,{name:t.
icon}),n("span",{class:"navigation-name",children:t.name}),n(Pi,{section:t.section})]},t.section))}),n("div",{class:"navigation-end",children:[n(S,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:yt}),n(ao,{}),n(lo,{})]})]})}function Pi({section:e}){if(e==="attention"){let a=He.value?.open??0;
return a===0?null:n("span",{class:"navigation-count navigation-count-bad",children:[w(a),n("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")
return null;let t=et();return t.length===0?null:n("span",{class:"navigation-count",children:[w(t.length),n("span",{class:"unseen",children:" phones"})]})}function V(e){return n("div",{class:"empty",children:[e.icon&&n(v,{name:e.icon,size:24}),n("p",{class:"empty-title",children:e.title}),e.children&&n("div",{class:"\
empty-text",children:e.children}),e.action]})}function H(e){return n("header",{class:"page-head",children:[n("div",{class:"page-title",children:[e.crumbs&&n("nav",{class:"crumbs","aria-label":"Where this pa\
ge is",children:e.crumbs.map(t=>n("span",{class:"crumb",children:[n("a",{href:t.href,class:"clip",children:t.name}),n(v,{name:"right",size:12})]},t.href))}),n("\
h1",{class:"said",children:e.title}),e.about&&n("p",{class:"page-about quiet",children:e.about})]}),e.actions&&n("div",{class:"page-actions",children:e.actions})]})}function ne(e){return n("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&n(v,{name:e.icon,size:12}),e.children]})}function J({needs:e,owner:t,...a}){let o=te(e,t);return o===null?n(S,{...a}):n(S,{...a,"aria-disabled":"true",disabled:!0,title:o})}function $e({needs:e,owner:t,
what:a}){let o=te(e,t);return o===null?null:n("p",{class:"role-note quiet",children:[n(v,{name:"info",size:14})," ",n("span",{children:[a,": ",o]})]})}function tt({since:e}){let t=We(()=>Ci(de.value-e));return n("span",{class:"num",children:t})}function me({at:e}){let t=We(()=>Ti(de.value-e));return n("time",{
dateTime:new Date(e*1e3).toISOString(),title:new Date(e*1e3).toLocaleString("en-GB"),children:t})}function Ci(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:
pe(e)}function Ti(e){return e<5?"just now":`${Ue(e)} ago`}function Ue(e){let t=[[86400,"d"],[3600,"h"],[60,"min"]];for(let[a,o]of t)if(e>=a)return`${Math.floor(
e/a)}\xA0${o}`;return`${Math.max(1,Math.floor(e))}\xA0s`}var Mi={open:{tone:"accent",icon:"play",words:"open"},paused:{tone:"warn",icon:"pause",words:"paused"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"},ended:{
tone:"good",icon:"check",words:"ended"}};function Zt({phase:e,failed:t}){let a=e==="ended"&&t>0?{tone:"bad",icon:"cross",words:"has failures"}:Mi[e];return n(ne,
{tone:a.tone,icon:a.icon,children:a.words})}function Be(e){return e.replaceAll("_"," ")}function Ai(e){switch(e.phase){case"waiting":return{tone:"quiet",icon:"c\
lock",words:"waiting"};case"paused":return{tone:"warn",icon:"pause",words:"paused"};case"running":return{tone:"accent",icon:"play",words:"running"};case"ended":
return e.is_done?{tone:"good",icon:"check",words:"done"}:e.ending==="cancelled"?{tone:"quiet",icon:"stop",words:"cancelled"}:{tone:"bad",icon:"cross",words:e.ending===
"finished"?"not as checked":Be(e.ending??"failed")}}}function en({task:e}){let t=Ai(e);return n(ne,{tone:t.tone,icon:t.icon,children:t.words})}function nt(e){return e.
phase==="ended"&&!e.is_done&&e.ending!=="cancelled"}function ho({cause:e}){let t=b(!1),a=N(async()=>{let l=await X("POST",`/attention/${R(e.id)}:retry`);return Re(),`${j(l.length,"task")} submitted again.`}),o=N(
async()=>{await X("POST",`/attention/${R(e.id)}:dismiss`),Re(0)}),r=a.isRunning.value||o.isRunning.value,i=a.problem.value??o.problem.value,s=e.episodes[0];return n(
"article",{class:"cause panel",children:[n("header",{class:"cause-head",children:[n("span",{class:"cause-count","aria-label":j(e.count,"task"),children:[w(e.count),
"\xD7"]}),n("div",{class:"cause-words",children:[n("h3",{class:"said",children:e.reason||Be(e.ending)}),n("p",{class:"cause-about",children:[n(ne,{tone:"bad",icon:"\
cross",children:Be(e.ending)}),e.app&&n("span",{class:"said",children:["in ",e.app]}),e.action&&n("span",{class:"said",children:["at ",e.action]}),n("span",{children:[
"last ",n(me,{at:e.last_at})]}),e.count>1&&n("span",{children:["first ",n(me,{at:e.first_at})]})]})]}),n("div",{class:"cause-actions",children:[s&&n("a",{class:"\
button button-primary",href:h.episode(s,{at:"failure"}),children:[n(v,{name:"play"})," Open the failure"]}),n(J,{needs:"submit",icon:"retry",disabled:r,onClick:()=>{
a.run()},children:e.count>1?`Retry all ${w(e.count)}`:"Retry"}),n(J,{needs:"submit",kind:"quiet",icon:"check",disabled:r,onClick:()=>{o.run()},children:"Dismiss"})]})]}),
i&&n(_,{problem:i}),a.result.value&&n(ee,{children:a.result.value}),e.tasks.length>1&&n(S,{kind:"quiet",icon:t.value?"up":"down","aria-expanded":t.value,onClick:()=>t.
value=!t.value,children:e.tasks.length<e.count?`The last ${e.tasks.length} tasks`:`All ${e.tasks.length} tasks`}),(t.value||e.tasks.length===1)&&n("ul",{class:"\
cause-tasks",children:e.tasks.map((l,c)=>{let p=e.episodes[c];return n("li",{children:n("a",{class:"mono",href:p?h.episode(p,{at:"failure"}):h.task(l),children:l})},
l)})})]})}var Ri=15,$i=42;function go({percent:e,celsius:t}){if(e===null)return null;let a=t!==null&&t>=$i,o=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${le(t)}\xA0\xB0C`}`;
return n("span",{class:`battery${e<=Ri||a?" battery-bad":""}`,title:o,children:[n(v,{name:a?"warning":"bolt",size:11,label:o}),n("span",{"aria-hidden":"true",children:[
Math.round(e),"%"]})]})}var Bi=new Set(["capture","perceive","verify","plan","decide","act","note"]);function bt({stages:e,most:t=4}){return n("span",{class:"stages",children:[e.slice(
0,t).map(a=>n("span",{class:"stage",children:[n("span",{class:`stage-dot stage-${Bi.has(a.stage)?a.stage:"other"}`}),n("span",{class:"clip",children:a.stage}),n(
tt,{since:a.since})]},`${a.stage}-${a.step}`)),e.length>t&&n("span",{class:"stage faint",children:["+",e.length-t]})]})}var xe={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},vo=11;function yo({serial:e,size:t}){let a=Ut(e)?.value;return a===void 0?null:
n("a",{class:`tile tile-${t} tile-${a.phase}`,href:h.phone(e),children:[n(Ni,{phone:a}),n("div",{class:"tile-body",children:[n("div",{class:"tile-head",children:[
n(Ii,{phase:a.phase}),n("span",{class:"tile-serial clip mono",children:t==="s"?Li(e):e}),t!=="s"&&n(go,{percent:a.battery??null,celsius:a.celsius??null})]}),t===
"s"?n(Oi,{phone:a}):n(Ji,{phone:a,isLarge:t==="l"})]})]})}function Li(e){return e.length>vo?`\u2026${e.slice(1-vo)}`:e}function Ni({phone:e}){return n("div",{class:"\
tile-screen",children:[e.thumbnail?n("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):n(v,{name:"phone",size:20}),e.taken_over_by&&
n("span",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:n(v,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function Ii({
phase:e}){return n("span",{class:`dot dot-${e}`,title:xe[e],children:n("span",{class:"unseen",children:xe[e]})})}function Oi({phone:e}){return e.phase==="busy"?
n(bt,{stages:e.stages??[],most:1}):n("span",{class:"tile-line clip",children:xe[e.phase]})}function Ji({phone:e,isLarge:t}){let a=e.labels?.model;return e.phase!==
"busy"?n(f,{children:[n("span",{class:"tile-goal tile-idle",children:xe[e.phase]}),e.reason&&n("span",{class:"tile-doing said",children:e.reason}),n("span",{class:"\
tile-foot clip",children:a})]}):n(f,{children:[n("span",{class:"tile-goal said",children:e.goal||e.task}),n("span",{class:"tile-doing said",children:e.doing||e.
subgoal}),t&&e.subgoal&&e.subgoal!==e.doing&&n("span",{class:"tile-doing said",children:e.subgoal}),n(bt,{stages:e.stages??[],most:t?4:2}),n("span",{class:"tile\
-foot clip",children:[e.step!=null&&n(f,{children:["step ",e.step+1," \xB7 "]}),e.owner&&n(f,{children:[e.owner," \xB7 "]}),a]})]})}function bo({phone:e}){let t=N(async()=>{await X("POST",`/phones/${R(e.serial)}:release`),Re(0)});return n("li",{class:"away",children:[n(ne,{tone:e.phase==="aw\
ay"?"bad":"warn",icon:e.phase==="away"?"cross":"pause",children:xe[e.phase]}),n("a",{class:"away-name mono clip",href:h.phone(e.serial),children:e.serial}),n("s\
pan",{class:"away-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(me,{at:e.since})}),e.phase==="aside"&&n(J,{needs:"operate",
icon:"play",disabled:t.isRunning.value,onClick:()=>{t.run()},children:"Release"}),t.problem.value&&n(_,{problem:t.problem.value})]})}function wo({model:e}){return n(
"li",{class:"away",children:[n(ne,{tone:"bad",icon:"cross",children:"away"}),n("a",{class:"away-name clip",href:h.health(),children:e.what}),n("span",{class:"aw\
ay-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(me,{at:e.since})})]})}function _o(){let e=He.value;return n(f,{children:[n(H,{title:"Attention",about:e&&e.open>0?`${j(e.open,"thing")} for a person, the newest first`:void 0}),vt.value&&
n(_,{problem:vt.value}),e!==null&&e.causes.length+e.phones.length+e.models.length===0&&n(V,{icon:"check",title:"Nothing needs a person",children:["Failed tasks,\
 phones that get no work and models that do not answer appear here. Meanwhile, the"," ",n("a",{href:h.fleet(),children:"fleet"})," and the ",n("a",{href:h.work(),
children:"queue"})," show what goes on."]}),e!==null&&e.models.length>0&&n("section",{class:"attention-section","aria-labelledby":"models-title",children:[n("h2",
{id:"models-title",children:"Models away"}),n("ul",{class:"attention-list panel",children:e.models.map(t=>n(wo,{model:t},t.what))})]}),e!==null&&e.causes.length>
0&&n("section",{class:"attention-section","aria-labelledby":"causes-title",children:[n("h2",{id:"causes-title",children:"Failed tasks, by cause"}),e.causes.map(
t=>n(ho,{cause:t},t.id))]}),e!==null&&e.phones.length>0&&n("section",{class:"attention-section","aria-labelledby":"phones-title",children:[n("h2",{id:"phones-ti\
tle",children:"Phones set aside or away"}),n("ul",{class:"attention-list panel",children:e.phones.map(t=>n(bo,{phone:t},t.serial))})]})]})}var Fi=1e3,Xi=3e3,Un=class{value=x(null);problem=x(null);settings;#t=new AbortController;#e;#n=!1;#a=!1;#s=-1/0;#o=!1;constructor(t){this.settings=t}reload=()=>this.#i(
0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#o=!1;let t=Ze({onEvent:a=>{this.settings.isChangedBy?.(a)&&this.reload()},onOpen:this.reload});
return this.#r(),()=>{t(),this.#o=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#i(t){if(this.#o)return;if(this.#n){this.#a=!0;return}let a=this.#s+(this.
settings.everyMs??Fi)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#r()},Math.max(t,a,0)))}async#r(){this.#e=void 0,
this.#n=!0,this.#a=!1,this.#s=performance.now(),this.#t=new AbortController;let t=this.#t,a=this.settings.pollMs;try{let o=await this.settings.load(t.signal);t.
signal.aborted||this.put(o)}catch(o){if(t.signal.aborted)return;let r=se(o);this.problem.value=r,(r.status===0||r.status===503||r.status===429)&&(a=Xi)}finally{
t===this.#t&&(this.#n=!1)}t.signal.aborted||this.#o||(this.#a?this.#i(0):a!==void 0&&this.#i(a))}};function K(e,t){let a=oe(()=>new Un(e),t),o=F(e);return o.current=
e,a.settings=e,P(()=>a.open(),[a]),a}var Wi=1600;function ko(e){let[t,a]=ye("");P(()=>{if(!t)return;let r=setTimeout(()=>a(""),Wi);return()=>clearTimeout(r)},[t]);let o=async()=>a(await qi(e.text())?
"copied":"failed");return n(f,{children:[n(S,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{o()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),n("span",{class:"unseen",role:"status",children:t})]})}async function qi(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let a=document.execCommand("copy");return t.remove(),a}}function Le({text:e}){return n("div",{class:"copy-line",children:[n("code",{class:"said",children:e}),n(ko,{text:()=>e,label:"Copy the command"})]})}function tn(e){let t={value:"",name:"All",count:e.all};return n("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(a=>n("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===a.value,onClick:()=>e.onChoose(a.value),children:[a.name,a.count!==null&&n("span",{class:"chip-count",children:w(
a.count)})]},a.value))})}function at(e){return n("label",{class:"search-box",children:[n(v,{name:"search"}),n("span",{class:"unseen",children:e.label}),n("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function ot(e){return n("div",{class:"segments",role:"group","aria-label":e.label,children:e.choices.map(t=>n("button",{type:"button",class:"segment",title:t.words,
"aria-label":t.words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:t.name},t.value))})}var So=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function Eo(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let a of e)t[a.phase]++;return t}function Po(e,t){let a=t.toLowerCase().split(/\s+/).filter(Boolean);return a.
length===0?e:e.filter(o=>{let r=zi(o);return a.every(i=>r.includes(i))})}function zi(e){let t=Object.entries(e.labels??{}).filter(([a])=>!a.startsWith("app:")).
map(([a,o])=>`${a}=${o}`);return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason].join(`
`).toLowerCase()}function Co(e){let t=new Set;for(let a of e)for(let o of Object.keys(a.labels??{}))!o.startsWith("app:")&&o!=="serial"&&t.add(o);return[...t].sort()}
function To(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let a=new Map;for(let o of e){let r=o.labels?.[t]??"",i=a.get(r);i?i.push(o):a.set(r,[o])}
return[...a].sort(([o],[r])=>o===""?1:r===""?-1:o.localeCompare(r,"en",{numeric:!0})).map(([o,r])=>({name:o||`no label ${t}`,phones:r}))}var nn=12,xo=42,Di={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function Mo(e,t,a){let o=Di[t],r=Math.max(1,Math.floor((a+nn)/(o.width+nn))),i=[],s=0;return e.
forEach((l,c)=>{l.name!==""&&(i.push({kind:"header",key:`h${c}`,top:s,height:xo,group:l}),s+=xo);for(let p=0;p<l.phones.length;p+=r){let d=l.phones.slice(p,p+r).
map(g=>g.serial);i.push({kind:"tiles",key:`${c}:${p}`,top:s,height:o.height,serials:d}),s+=o.height+nn}}),{columns:r,height:Math.max(0,s-nn),rows:i}}function Ao(e,t,a){
let o=0,r=e.length;for(;o<r;){let s=o+r>>1,l=e[s];l.top+l.height<t?o=s+1:r=s}let i=o;for(;i<e.length&&e[i].top<=a;)i++;return[o,i]}var Ro=400;function $o({groups:e,size:t}){let a=F(null),o=b(0),r=b("0 0"),i=oe(()=>Mo(e,t,o.value||1100),[e,t,o.value]),s=()=>{let p=a.current?.getBoundingClientRect().
top??0,[d,g]=Ao(i.rows,-p-Ro,innerHeight-p+Ro);r.value=`${d} ${g}`};Fe(()=>{let p=a.current;if(p===null)return;o.value=p.clientWidth;let d=new ResizeObserver(()=>o.
value=p.clientWidth);return d.observe(p),()=>d.disconnect()},[]),Fe(s,[i]),P(()=>{let p=0,d=()=>{p||=requestAnimationFrame(()=>{p=0,s()})};return addEventListener(
"scroll",d,{passive:!0}),addEventListener("resize",d),()=>{removeEventListener("scroll",d),removeEventListener("resize",d),cancelAnimationFrame(p)}},[i]);let[l=0,
c=0]=r.value.split(" ").map(Number);return n("div",{ref:a,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,c).map(p=>n(Hi,{row:p,columns:i.
columns,size:t},p.key))})}function Hi({row:e,columns:t,size:a}){let o={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?n("h2",
{class:"wall-header",style:o,children:[n("span",{class:"clip",children:e.group.name}),n("span",{class:"faint",children:j(e.group.phones.length,"phone")})]}):n("\
div",{class:"wall-row",style:{...o,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(r=>n(yo,{serial:r,size:a},r))})}var Ui=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function Bo(){
let e=K({load:u=>A("/status",{},u),isChangedBy:u=>/^(phone|model)\./.test(u.kind),pollMs:5e3},[]),t=M("phase"),a=M("q"),o=M("group"),r=["s","m","l"].includes(M(
"size"))?M("size"):"m",i=We(()=>{Dt.value;let u=et(),y=Po(u,M("q")),$=M("phase")?y.filter(E=>E.phase===M("phase")):y;return{all:u.length,counts:Eo(y),found:y.length,
chosen:$.length,labels:Co(u),groups:To($,M("group"))}}),{all:s,counts:l,found:c,chosen:p,labels:d,groups:g}=i.value,m=e.value.value?.waiting_for??[];return n(f,
{children:[n(H,{title:"Fleet",about:n(ji,{status:e.value.value})}),m.length>0&&n(ee,{tone:"warn",children:[n("p",{children:"Tasks wait for:"}),n("ul",{class:"no\
te-list",children:m.map(u=>n("li",{class:"said",children:u},u))})]}),s===0?n(Vi,{isReady:Ht.value&&(e.value.value?.is_ready??!1)}):n(f,{children:[n("div",{class:"\
toolbar",children:[n(at,{value:a,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:u=>U({q:u})}),n(tn,{label:"Phases",chosen:t,all:c,choices:So.
map(u=>({value:u.phase,name:u.name,count:l[u.phase]})),onChoose:u=>U({phase:u})}),n("div",{class:"toolbar-end",children:[n("label",{class:"toolbar-select",children:[
n("span",{class:"quiet",children:"Group by"}),n("select",{class:"input",value:o,onChange:u=>U({group:u.currentTarget.value}),children:[n("option",{value:"",children:"\
nothing"}),d.map(u=>n("option",{value:u,children:u},u))]})]}),n(ot,{label:"Size",value:r,choices:Ui,onChoose:u=>U({size:u==="m"?"":u})})]})]}),p===0?n(V,{icon:"\
search",title:"No phone is chosen by these filters",children:n("button",{type:"button",class:"link-button",onClick:()=>U({q:"",phase:""}),children:["Show all ",
w(s)," phones"]})}):n($o,{groups:g,size:r})]})]})}function ji({status:e}){return e===null?null:n(f,{children:[w(e.running)," running \xB7 ",w(e.waiting)," waiti\
ng \xB7 ",w(e.ended)," ended"]})}function Vi({isReady:e}){return e?n(V,{icon:"phone",title:"The fleet has no phones",action:n(Le,{text:"manyhands attach SERIAL"}),
children:["Attach a phone that adb lists, or start the service with phones, such as ",n("code",{children:"--phones virtual:2"})," for two virtual ones. It appea\
rs here at once."]}):n(V,{icon:"clock",title:"The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This pa\
ge shows them as they come."})}function Lo(e){let t="",a=!1;for(let o of e)t+=o?`${a?"L":"M"}${o[0].toFixed(1)} ${o[1].toFixed(1)}`:"",a=o!==null;return t}function No(e){if(!(e>0))return[0,1];
let t=e/3,a=10**Math.floor(Math.log10(t)),o=a*([1,2,2.5,5,10].find(i=>i*a>=t)??10),r=Math.ceil(e/o-1e-9);return Array.from({length:r+1},(i,s)=>Number((s*o).toPrecision(
12)))}var je=52,Io=20;function Oo(e){let{series:t,height:a=140,formatValue:o,formatAt:r}=e,i=F(null),[s,l]=ye(400),[c,p]=ye(null);Fe(()=>{let k=new ResizeObserver(([W])=>W&&
l(Math.max(160,W.contentRect.width)));return i.current&&k.observe(i.current),()=>k.disconnect()},[]);let d=[...new Set(t.flatMap(k=>k.points.map(([W])=>W)))].sort(
(k,W)=>k-W),g=d[0]??0,m=d.at(-1)??1,u=No(Math.max(0,...t.flatMap(k=>k.points.map(([,W])=>W??0)))),y=u.at(-1)||1,$=k=>je+(k-g)/(m-g||1)*(s-je-4),E=k=>6+(1-k/y)*(a-
Io-10),B=k=>{let W=g+(k-je)/(s-je-4)*(m-g),ae=0;d.forEach((ge,xt)=>{Math.abs(ge-W)<Math.abs((d[ae]??0)-W)&&(ae=xt)}),p(d.length?ae:null)},C=k=>{let W=k.key==="A\
rrowRight"?1:k.key==="ArrowLeft"?-1:0;!W||!d.length||(k.preventDefault(),k.stopPropagation(),p(Math.min(d.length-1,Math.max(0,(c??d.length)+W))))},L=c===null?void 0:
d[c],I=L??d.at(-1);return n("figure",{class:"plot",ref:i,children:[n("figcaption",{class:"plot-legend",children:[t.map(k=>{let W=k.points.find(([ae])=>ae===I)?.[1];
return n("span",{children:[n("i",{style:{background:`var(${k.colour})`}}),k.name," ",n("b",{children:W==null?Z:o(W)})]},k.name)}),L!==void 0&&n("span",{class:"f\
aint plot-at",children:r(L)})]}),n("svg",{width:s,height:a,role:"img","aria-label":e.label,tabIndex:0,onPointerMove:k=>B(k.offsetX),onPointerLeave:()=>p(null),onKeyDown:C,
onBlur:()=>p(null),children:[u.map(k=>n("g",{children:[n("line",{class:"plot-grid",x1:je,x2:s-4,y1:E(k),y2:E(k)}),n("text",{class:"plot-tick",x:je-8,y:E(k)+4,"t\
ext-anchor":"end",children:o(k)})]},k)),d.length>1&&n(f,{children:[n("text",{class:"plot-tick",x:je,y:a-4,children:r(g)}),n("text",{class:"plot-tick",x:s-4,y:a-
4,"text-anchor":"end",children:r(m)})]}),t.map(k=>n("path",{class:"plot-line",style:{stroke:`var(${k.colour})`},d:Lo(k.points.map(([W,ae])=>ae===null?null:[$(W),
E(ae)]))},k.name)),L!==void 0&&n("line",{class:"plot-cursor",x1:$(L),x2:$(L),y1:4,y2:a-Io})]})]})}function fe({facts:e}){return n("dl",{class:"facts",children:e.filter(([,t])=>t!=null&&t!==""&&t!==!1).map(([t,a])=>n("div",{class:"fact",children:[n("dt",{children:t}),
n("dd",{children:a})]},t))})}var Jo=["--accent","--stage-perceive","--stage-act","--stage-verify","--stage-note","--quiet-fill"];function an(e,t,a,o){return[...new Set(e.flatMap(i=>t(i).map(
a)))].sort().map((i,s)=>({name:i,colour:Jo[s%Jo.length]??"--accent",points:e.map(l=>[l.at,Gi(t(l).filter(c=>a(c)===i).map(o))])}))}function Gi(e){let t=e.filter(
a=>a!==null);return t.length===0?null:t.reduce((a,o)=>a+o,0)}function he(e,t,a,o="--accent"){return{name:e,colour:o,points:t.map(r=>[r.at,a(r)])}}var Fo=e=>e.input_tokens_per_min+
e.output_tokens_per_min;function Xo(e){return an(e,t=>t.roles,t=>t.role,Fo)}function Wo(e){return an(e,t=>t.roles,t=>on(t.server),Fo)}function qo(e){return he("\
of input tokens",e,t=>{let a=t.roles.filter(r=>r.cached_share!==null&&r.input_tokens_per_min>0),o=a.reduce((r,i)=>r+i.input_tokens_per_min,0);return o===0?null:
a.reduce((r,i)=>r+i.input_tokens_per_min*(i.cached_share??0),0)/o})}function zo(e){return an(e,t=>t.roles.filter(a=>a.latency_ms!==null),t=>t.role,t=>t.latency_ms)}
function Do(e){return an(e,t=>t.roles,t=>t.role,t=>t.errors_per_min)}function Ho(e){let t=(a,o)=>a.models.reduce((r,i)=>r+i[o],0);return[he("in flight",e,a=>t(a,
"in_flight")),he("waiting",e,a=>t(a,"waiting"),"--stage-act")]}function Uo(e){return[he("reading",e,t=>t.perception?.reading??null,"--stage-perceive"),he("waiti\
ng",e,t=>t.perception?.waiting??null,"--stage-act"),he("workers",e,t=>t.perception?.workers??null,"--quiet-fill")]}function on(e){return e.replace(/^https?:\/\//,
"").replace(/\/v1\/?$/,"")||"no server"}var jo=new Set(["up","healthy","closed","ok","ready"]);function Vo({servers:e}){return e.length===0?null:n("section",{class:"health-section",children:[n("h2",{children:"\
Servers"}),n("div",{class:"health-scroll panel",tabIndex:0,role:"region","aria-label":"Servers",children:n("table",{class:"health-table",children:[n("thead",{children:n(
"tr",{children:[n("th",{scope:"col",children:"Server"}),n("th",{scope:"col",children:"State"}),n("th",{scope:"col",class:"num",children:"In flight"}),n("th",{scope:"\
col",class:"num",children:"Running there"}),n("th",{scope:"col",class:"num",children:"Waiting there"}),n("th",{scope:"col",class:"num",children:"Its cache is fu\
ll"})]})}),n("tbody",{children:e.map(t=>n("tr",{children:[n("td",{class:"mono said",children:on(t.server)}),n("td",{children:n(ne,{tone:jo.has(t.state)?"good":"\
warn",icon:jo.has(t.state)?"check":"warning",children:t.state})}),n("td",{class:"num",children:w(t.in_flight)}),n("td",{class:"num",children:w(t.running)}),n("t\
d",{class:"num",children:w(t.waiting)}),n("td",{class:"num",children:Ae(t.cache_usage)})]},t.server))})]})})]})}function Go({newest:e}){let t=K({load:a=>A("/mod\
els",{},a),pollMs:1e4},[]);return n("section",{class:"health-section",children:[n("h2",{children:"Models"}),t.problem.value&&n(_,{problem:t.problem.value}),t.value.
value?.length===0&&n("p",{class:"quiet",children:"No model yet: the fleet is being opened."}),t.value.value&&t.value.value.length>0&&n("div",{class:"health-scro\
ll panel",tabIndex:0,role:"region","aria-label":"Models",children:n("table",{class:"health-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"\
col",children:"Role"}),n("th",{scope:"col",children:"Model"}),n("th",{scope:"col",children:"Servers"}),n("th",{scope:"col",class:"num",children:"Calls"}),n("th",
{scope:"col",class:"num",children:"Failed"}),n("th",{scope:"col",class:"num",children:"In flight, of at most"})]})}),n("tbody",{children:t.value.value.map(a=>{let o=e?.
models.find(r=>r.role===a.role);return n("tr",{children:[n("td",{children:a.role}),n("td",{class:"said",children:a.model}),n("td",{class:"mono said",children:a.
servers.map(on).join(", ")}),n("td",{class:"num",children:w(a.calls??0)}),n("td",{class:"num",children:w(a.failures??0)}),n("td",{class:"num",children:o?`${w(o.
in_flight)} / ${o.cap==null?Z:w(o.cap)}`:Z})]},a.role)})})]})})]})}var Ki=3600;async function Qi(e,t){let a=e?.points.at(-1)?.at,o=await A("/figures",{after:a},t),r=o.points.at(-1)?.at??a??0,i=(e?.points??[]).filter(s=>s.at>r-Ki&&
s.at<(o.points[0]?.at??1/0));return{...o,points:[...i,...o.points]}}function Ko(){let e=F(null),t=K({load:async r=>e.current=await Qi(e.current,r),pollMs:1e4,everyMs:5e3},
[]),a=K({load:r=>A("/status",{},r),pollMs:1e4},[]),o=t.value.value?.points??[];return n(f,{children:[n(H,{title:"Health",about:"What the fleet does and costs, o\
ver the last hour"}),t.problem.value&&n(_,{problem:t.problem.value}),a.value.value&&n(Yi,{status:a.value.value,newest:o.at(-1)??null}),t.value.value!==null&&o.length<
2?n(V,{icon:"chart",title:"The first figures come within some seconds",children:["The service keeps one point every ",pe(t.value.value.every_s),", for an hour."]}):
n(Zi,{points:o}),o.length>0&&n(Vo,{servers:o.at(-1)?.servers??[]}),n(Go,{newest:o.at(-1)??null})]})}function Yi({status:e,newest:t}){return n(fe,{facts:[["Steps\
 a minute",t&&le(t.steps_per_min)],["Running",w(e.running)],["Waiting",w(e.waiting)],["Ended",w(e.ended)],["Phones",w(e.phones)],["Started",Q(e.started_at)],["V\
ersion",e.version]]})}function Zi({points:e}){if(e.length<2)return null;let t=[he("running",e,o=>o.episodes),he("waiting",e,o=>o.waiting,"--quiet-fill")],a=o=>pe(
o/1e3);return n("div",{class:"plots",children:[n(Se,{title:"Steps a minute",series:[he("all phones",e,o=>o.steps_per_min)],format:le}),n(Se,{title:"Tokens a min\
ute, by role",series:Xo(e),format:qn}),n(Se,{title:"Tokens a minute, by server",series:Wo(e),format:qn}),n(Se,{title:"Input tokens that were cached",series:[qo(
e)],format:Ae}),n(Se,{title:"Model calls",series:Ho(e),format:le}),n(Se,{title:"Latency of a call, by role",series:zo(e),format:a}),n(Se,{title:"Failed calls a \
minute, by role",series:Do(e),format:le}),n(Se,{title:"Perception",series:Uo(e),format:le}),n(Se,{title:"Tasks",series:t,format:le})]})}function Se(e){return n(
"section",{class:"plot-card panel",children:[n("h2",{children:e.title}),n(Oo,{label:`${e.title}, the last hour`,series:e.series,formatValue:e.format,formatAt:Vt,
height:132})]})}var Qo=12;function Yo(e,t,a){let[o,r]=ye({first:0,end:Math.min(t,40)});return Fe(()=>{let i=0,s=()=>{i=0;let p=e.current?.getBoundingClientRect();if(!p)return;let d=Math.
max(0,Math.floor(-p.top/a)-Qo),g=Math.min(t,Math.ceil((innerHeight-p.top)/a)+Qo);r(m=>m.first===d&&m.end===g?m:{first:Math.min(d,t),end:Math.max(g,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,a]),{first:Math.min(
o.first,t),end:Math.min(Math.max(o.end,o.first),t)}}function rn(e){let t=F(null),a=e.items.length,{first:o,end:r}=Yo(t,a,e.height),i=r>=a;return P(()=>{i&&e.onEnd?.()},[i,a]),n("div",{class:"rows panel",role:"tab\
le","aria-label":e.label,"aria-rowcount":a+1,children:[n("div",{class:"rows-head",role:"rowgroup",children:n("div",{class:"row",role:"row","aria-rowindex":1,children:e.
head})}),n("div",{ref:t,class:"rows-body",role:"rowgroup",style:{height:`${a*e.height}px`},children:e.items.slice(o,r).map((s,l)=>n("div",{class:"row",role:"row",
"aria-rowindex":o+l+2,style:{height:`${e.height}px`,transform:`translateY(${(o+l)*e.height}px)`},children:e.children(s,o+l)},e.keyOf(s)))})]})}function q(e){return n(
"div",{class:`cell${e.kind?` cell-${e.kind}`:""}`,role:e.head?"columnheader":"cell",children:e.children})}var es={"batch.accepted":"batch accepted","batch.paused":"batch paused","batch.resumed":"batch goes on","batch.cancelled":"batch cancelled","batch.ended":"batch\
 ended","task.paused":"task paused","task.resumed":"task goes on","task.retried":"task submitted again","task.began":"task began","task.step":"task is at anothe\
r step","task.ended":"task ended","task.failed":"task failed","phone.away":"phone is away","phone.back":"phone is back","phone.aside":"phone set aside","phone.r\
eleased":"phone released","model.away":"model is away","model.back":"model is back","schedule.fired":"schedule submitted","schedule.missed":"schedule missed a t\
ime"},ts=new Set(["task.failed","phone.away","model.away","schedule.missed"]),ns=34;function sn({events:e,label:t}){return n(rn,{items:e,keyOf:a=>String(a.id),height:ns,
label:t,head:n(f,{children:[n(q,{head:!0,kind:"short",children:"Time"}),n(q,{head:!0,children:"What"}),n(q,{head:!0,children:"Of which"}),n(q,{head:!0,kind:"wid\
e",children:"Why"})]}),children:a=>n(f,{children:[n(q,{kind:"short",children:n("time",{class:"faint",dateTime:new Date(a.at*1e3).toISOString(),title:Q(a.at),children:Vt(
a.at)})}),n(q,{children:n("span",{class:`clip event-what${ts.has(a.kind)?" event-bad":""}`,children:es[a.kind]??a.kind})}),n(q,{children:n(as,{event:a})}),n(q,{
kind:"wide",children:n("span",{class:"clip event-why",children:os(a)})})]})})}function as({event:e}){return e.task?n(jn,{href:h.task(e.task),words:e.task}):e.phone?
n(jn,{href:h.phone(e.phone),words:e.phone}):e.batch?n(jn,{href:h.batch(e.batch),words:e.batch}):n("span",{})}function jn({href:e,words:t}){return n("a",{class:"\
clip event-of mono",href:e,children:t})}function os(e){let t=e.data??{},a=typeof t.ending=="string"?Be(t.ending):"",o=typeof t.reason=="string"?t.reason:"";return[
a,o].filter(Boolean).join(": ")}var rs=52;function ln(e){return n(rn,{items:e.tasks,keyOf:t=>t.id,height:rs,label:e.label,...e.onEnd?{onEnd:e.onEnd}:{},head:n(f,{children:[n(q,{head:!0,kind:"s\
tate",children:"State"}),n(q,{head:!0,kind:"wide",children:"Goal"}),n(q,{head:!0,kind:"extra",children:"Now, or why"}),n(q,{head:!0,kind:"extra",children:"Phone"}),
n(q,{head:!0,kind:"time",children:"Time"}),n(q,{head:!0,kind:"actions",children:n("span",{class:"unseen",children:"Actions"})})]}),children:t=>n(f,{children:[n(
q,{kind:"state",children:n(en,{task:t})}),n(q,{kind:"wide",children:[n("a",{class:"task-goal clip",href:is(t),children:t.goal}),n("span",{class:"task-id mono cl\
ip",children:t.id})]}),n(q,{kind:"extra",children:n("span",{class:"task-reason said",children:ss(t)})}),n(q,{kind:"extra",children:t.phone?n("a",{class:"clip ta\
sk-phone mono",href:h.phone(t.phone),children:t.phone}):n("span",{class:"faint",children:Z})}),n(q,{kind:"time",children:n(ls,{task:t})}),n(q,{kind:"actions",children:n(
cs,{task:t,...e.owner===void 0?{}:{owner:e.owner},onChanged:e.onChanged})})]})})}function is(e){return e.episode?h.episode(e.episode):h.task(e.id)}function ss(e){
return e.phase==="running"?`step ${(e.step??0)+1}${e.doing?` \xB7 ${e.doing}`:""}`:e.phase!=="ended"?"":e.is_done?e.answer??`${e.steps??0} steps`:e.reason??""}function ls({
task:e}){return e.started_at==null?n("span",{class:"faint",children:Z}):e.phase==="running"?n(tt,{since:e.started_at}):n(f,{children:pe(e.ended_at==null?null:e.
ended_at-e.started_at)})}function cs(e){let{task:t}=e,a=N(async()=>(e.onChanged(await X("POST",`/tasks/${R(t.id)}:retry`)),"Submitted again."));return nt(t)?a.result.
value?n("span",{class:"task-again",children:"again"}):n(J,{needs:"submit",...e.owner===void 0?{}:{owner:e.owner},kind:a.problem.value?"danger":"quiet",icon:"ret\
ry",label:a.problem.value?`Retry: ${a.problem.value.detail}`:`Retry ${t.id}`,disabled:a.isRunning.value,onClick:()=>{a.run()}}):null}var us=[["half an hour",.5],["2 hours",2],["8 hours",8],["a day",24]];function Zo({phone:e}){let t=b(""),a=N(async(i,s)=>{eo(await X("POST",`/phones/${R(e.serial)}\
:${i}`,s)),t.value=""}),o=e.phase==="aside"||e.phase==="reserved"||e.reserved_for!=null,r={needs:"operate",disabled:a.isRunning.value};return n("div",{class:"ph\
one-actions",children:[n("div",{class:"phone-buttons",children:[o&&n(J,{...r,kind:"primary",icon:"play",onClick:()=>{a.run("release")},children:"Release"}),e.phase!==
"aside"&&n(J,{...r,icon:"pause","aria-expanded":t.value==="aside",onClick:()=>t.value=t.value==="aside"?"":"aside",children:"Set aside"}),n(J,{...r,icon:"clock",
"aria-expanded":t.value==="reserve",onClick:()=>t.value=t.value==="reserve"?"":"reserve",children:"Reserve"})]}),t.value==="aside"&&n("form",{class:"phone-form \
panel",onSubmit:i=>{i.preventDefault(),a.run("aside",{reason:Vn(i,"reason")})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Why"}),n("input",{class:"input",name:"reason",required:!0,maxLength:500,autofocus:!0,placeholder:"The screen is cracked"})]}),n("p",{class:"labelled-help",children:"\
It gets no task until it is released. Its present task goes on to its end."}),n(S,{type:"submit",kind:"primary",disabled:a.isRunning.value,children:"Set it asid\
e"})]}),t.value==="reserve"&&n("form",{class:"phone-form panel",onSubmit:i=>{i.preventDefault();let s=Date.now()/1e3+Number(Vn(i,"hours"))*3600;a.run("reserve",
{owner:Vn(i,"owner"),until:s})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"For whose tasks"}),n("input",{class:"i\
nput",name:"owner",required:!0,defaultValue:Te(),autofocus:!0})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"For how long"}),
n("select",{class:"input",name:"hours",children:us.map(([i,s])=>n("option",{value:s,selected:s===2,children:i},s))})]}),n(S,{type:"submit",kind:"primary",disabled:a.
isRunning.value,children:"Reserve it"})]}),a.problem.value&&n(_,{problem:a.problem.value})]})}function Vn(e,t){return String(new FormData(e.currentTarget).get(t)??
"").trim()}var ds={"task.began":"busy","task.ended":"free","phone.away":"away","phone.back":"free","phone.aside":"aside","phone.released":"free"},Gn={busy:"at work",free:"\
free",away:"away",aside:"set aside"};function ps(e,t){let a=[],o=null;for(let r of[...e].reverse()){let i=ds[r.kind];i!==void 0&&(o!==null&&r.at>o.from&&a.push(
{...o,to:r.at}),o={condition:i,from:r.at})}return o!==null&&t>o.from&&a.push({...o,to:t}),a}function er({events:e}){let t=Math.ceil(de.value/30)*30,a=ps(e,t),o=a[0]?.
from??t,r=Math.max(1,t-o),i={free:0,busy:0,away:0,aside:0};for(let c of a)i[c.condition]+=c.to-c.from;let s=e.filter(c=>c.kind==="task.ended").length,l=e.filter(
c=>c.kind==="task.failed").length;return n("div",{class:"phone-health panel",children:[n("svg",{class:"phone-strip",viewBox:`0 0 ${r} 1`,preserveAspectRatio:"no\
ne",role:"img","aria-label":ms(i,r),children:a.map(c=>n("rect",{class:`strip-${c.condition}`,x:c.from-o,width:Math.max(c.to-c.from,r/800),height:"1",children:n(
"title",{children:`${Gn[c.condition]}: ${Q(c.from)}, ${Ue(c.to-c.from)}`})},c.from))}),n("p",{class:"phone-strip-ends quiet",children:[n("span",{children:Q(o)}),
n("span",{children:"now"})]}),n(fe,{facts:[...Object.keys(i).map(c=>[Gn[c],n("span",{class:"phone-key",children:[n("span",{class:`key key-${c}`})," ",Ae(i[c]/r)]},
c)]),["Tasks",w(s)],["Failed",`${w(l)} (${Ae(s===0?0:l/s)})`]]})]})}function ms(e,t){return Object.keys(e).map(a=>`${Gn[a]} ${Ae(e[a]/t)}`).join(", ")}var tr=[{name:"Fleet",href:h.fleet()}];function ar({serial:e}){Dt.value;let t=Ut(e)?.value;return t===void 0?n(f,{children:[n(H,{title:e,crumbs:tr}),Ht.value&&n(
V,{icon:"phone",title:"The fleet has no such phone",children:["It was detached, or its address has changed. An operator attaches a phone with ",n("code",{children:"\
manyhands attach"}),"."]})]}):n(f,{children:[n(H,{crumbs:tr,title:e,about:n("span",{class:"phone-about",children:[n("span",{class:`dot dot-${t.phase}`})," ",xe[t.
phase],t.labels?.model&&n("span",{class:"said",children:t.labels.model})]}),actions:n(Zo,{phone:t})}),t.reason&&n(ee,{tone:t.phase==="away"||t.phase==="aside"?"\
warn":"quiet",children:n("p",{class:"said",children:[xe[t.phase],": ",t.reason,t.reserved_until!=null&&` until ${Q(t.reserved_until)}`]})}),n("div",{class:"phon\
e-page",children:[n(fs,{phone:t}),n("div",{class:"phone-detail",children:[n(hs,{phone:t}),n(gs,{phone:t}),n(vs,{serial:e})]})]})]})}function fs({phone:e}){let t=e.
episode&&e.screen?qe(`/episodes/${R(e.episode)}/screens/${e.screen}`,{width:540}):e.thumbnail?`data:image/jpeg;base64,${e.thumbnail}`:null;return n("div",{class:"\
phone-screen panel",children:t?n("img",{src:t,alt:`The screen of ${e.serial}`}):n("span",{class:"faint",children:[n(v,{name:"phone",size:28}),"No screen yet"]})})}
function hs({phone:e}){return e.task?n("section",{class:"phone-now panel","aria-label":"What it does now",children:[n("p",{class:"phone-goal said",children:e.goal||
e.task}),n("p",{class:"quiet said",children:e.subgoal||e.doing}),n("p",{class:"phone-line",children:n(bt,{stages:e.stages??[]})}),n("p",{class:"phone-line quiet",
children:[e.step!=null&&n("span",{children:["step ",e.step+1]}),e.step_since!=null&&n("span",{children:["for ",n(tt,{since:e.step_since})]}),e.owner&&n("span",{
class:"said",children:["asked by ",e.owner]}),e.taken_over_by&&n("strong",{class:"said",children:["taken over by ",e.taken_over_by]})]}),n("p",{class:"phone-lin\
e",children:[e.episode&&n("a",{class:"button button-primary",href:h.episode(e.episode),children:[n(v,{name:"play"})," Watch it live"]}),e.batch&&n("a",{class:"b\
utton",href:h.batch(e.batch),children:["Batch ",e.batch]})]})]}):null}function gs({phone:e}){let t=Object.entries(e.labels??{}),a=t.filter(([r])=>!r.startsWith(
"app:")&&r!=="serial"&&r!=="model"),o=t.filter(([r])=>r.startsWith("app:"));return n(f,{children:[n(fe,{facts:[["Battery",e.battery==null?null:`${Math.round(e.battery)}\
\xA0%`],["Warmth",e.celsius==null?null:`${le(e.celsius)}\xA0\xB0C`],["Failures in a row",e.failures?w(e.failures):null],...a.map(([r,i])=>[r,n("span",{class:"sa\
id",children:i},r)])]}),o.length>0&&n("details",{class:"phone-apps",children:[n("summary",{children:j(o.length,"app")}),n("p",{class:"said mono",children:o.map(
([r,i])=>`${r.slice(4)} ${i}`).join(`
`)})]})]})}var nr=[{value:"tasks",name:"Last tasks"},{value:"log",name:"Log"},{value:"health",name:"Health"}];function vs({serial:e}){let t=nr.find(a=>a.value===
M("tab"))?.value??"tasks";return n("section",{class:"phone-history","aria-label":"History",children:[n(ot,{label:"History",value:t,choices:nr,onChoose:a=>U({tab:a===
"tasks"?"":a})}),t==="tasks"?n(ys,{serial:e}):n(bs,{serial:e,tab:t})]})}function ys({serial:e}){let t=K({load:o=>A(`/phones/${R(e)}/tasks`,{limit:100},o),isChangedBy:o=>o.
phone===e&&o.kind!=="task.step"},[e]),a=t.value.value?.items;return n(f,{children:[t.problem.value&&n(_,{problem:t.problem.value}),a?.length===0&&n(V,{icon:"lis\
t",title:"It has had no task yet",children:["As soon as it gets one, the task appears here. ",n("a",{href:h.submit(),children:"Submit a batch"})]}),a&&a.length>
0&&n(ln,{tasks:a,label:`Tasks of ${e}`,onChanged:t.reload})]})}function bs({serial:e,tab:t}){let a=K({load:r=>A(`/phones/${R(e)}/log`,{limit:500},r),isChangedBy:r=>r.
phone===e&&r.kind!=="task.step"},[e]),o=a.value.value?.items;return n(f,{children:[a.problem.value&&n(_,{problem:a.problem.value}),o?.length===0&&n(V,{icon:"clo\
ck",title:"Nothing has happened to it yet",children:"Its tasks, and when it went away or was set aside, appear here."}),o&&o.length>0&&(t==="log"?n(sn,{events:o,
label:`Log of ${e}`}):n(er,{events:o}))]})}var or=["done","failed","cancelled","running"];function cn({counts:e}){let t=Math.max(1,e.tasks-(e.retried??0));return n("span",{class:"progress",role:"img","ar\
ia-label":wt(e),children:or.map(a=>{let o=e[a]??0;return o===0?null:n("span",{class:`progress-part progress-${a}`,style:{width:`${100*o/t}%`}},a)})})}function wt(e){
let t=or.filter(a=>(e[a]??0)>0).map(a=>`${w(e[a]??0)} ${a}`);return e.waiting>0&&t.push(`${w(e.waiting)} waiting`),t.join(", ")||"no tasks"}function rt(e){let t=b(!1),a=F(null);P(()=>{t.value&&a.current?.showModal()},[t.value]);let o={needs:e.needs,disabled:e.disabled??!1,onClick:()=>t.value=!0};return n(
f,{children:[n(J,{...o,...e.owner===void 0?{}:{owner:e.owner},...e.icon?{icon:e.icon}:{},...e.isIcon?{label:e.name,kind:"quiet"}:{},children:e.isIcon?void 0:e.name}),
t.value&&n("dialog",{ref:a,class:"confirm","aria-label":e.name,onClose:()=>t.value=!1,children:[n("p",{class:"said",children:e.question}),n("div",{class:"confir\
m-answers",children:[n(S,{autofocus:!0,onClick:()=>a.current?.close(),children:"Go back"}),n(S,{kind:"danger",onClick:()=>{a.current?.close(),e.onConfirm()},children:e.
yes})]})]})]})}function un(e,t){return N(async a=>{let o=`/batches/${R(e.id)}:${a}`;if(a==="retry"){let r=await X("POST",o);return`${j(r.length,"task")} submitted again.`}t(await X(
"POST",o))})}function dn(e){let{batch:t,action:a,areIcons:o}=e,r={needs:"submit",owner:t.owner,disabled:a.isRunning.value},i=t.phase==="open"||t.phase==="paused",
s=l=>o?{label:l,kind:"quiet"}:{children:l};return n(f,{children:[t.phase==="open"&&n(J,{...r,icon:"pause",onClick:()=>{a.run("pause")},...s("Pause")}),t.phase===
"paused"&&n(J,{...r,icon:"play",onClick:()=>{a.run("resume")},...s("Let it go on")}),t.failed>0&&n(J,{...r,icon:"retry",onClick:()=>{a.run("retry")},...s("Retry\
 what failed")}),i&&n(rt,{...r,name:"Cancel",icon:"stop",isIcon:o,question:`Cancel ${j(t.waiting+t.running,"task")} of ${t.name||t.id}? Running tasks end as soo\
n as they can.`,yes:"Cancel the batch",onConfirm:()=>{a.run("cancel")}})]})}function Kn(e){return[...e].sort((t,a)=>a.priority-t.priority||t.submitted_at-a.submitted_at)}function rr(e,t,a){let o=e.find(p=>p.id===t),r=e.filter(p=>p.id!==
t);if(o===void 0||e[a]?.id===t)return null;let i=r[a-1],s=r[a],l=p=>p.submitted_at<=o.submitted_at,c=o.priority;return s!==void 0&&(c=Math.max(c,l(s)?s.priority+
1:s.priority)),i!==void 0&&(c=Math.min(c,l(i)?i.priority:i.priority-1)),c=Math.min(100,Math.max(-100,c)),c===o.priority?null:c}function ir(e,t){if(e.phase!=="op\
en")return null;let a=e.waiting+e.running,o=e.tasks-a;return o<1||a===0?null:a*Math.max(1,t-e.submitted_at)/o}function pn(e){let{batch:t}=e,a=un(t,e.put),o=t.tasks-t.waiting-t.running;return n("li",{...e.target,class:`batch${e.target?.class?` ${e.target.class}`:""}`,children:[
n("div",{class:"batch-main",children:[e.before,n("div",{class:"batch-name",children:[n("a",{class:"batch-link clip",href:h.batch(t.id),children:t.name||t.id}),n(
"span",{class:"batch-about clip",children:[t.name&&n("span",{class:"mono",children:[t.id," "]}),"by ",t.owner," \xB7 ",n(me,{at:t.submitted_at}),t.tags.map(r=>n(
"a",{class:"tag",href:h.work({tag:r}),children:r},r))]})]}),n("div",{class:"batch-progress",children:[n(cn,{counts:t}),n("span",{class:"batch-counts",children:[
n("span",{class:"clip",children:wt(t)}),n("span",{class:"num",children:[w(o),"/",w(t.tasks)]})]})]}),n("div",{class:"batch-state",children:[n(Zt,{phase:t.phase,
failed:t.failed}),n(Qn,{batch:t})]}),e.priority,n("div",{class:"batch-actions",children:n(dn,{batch:t,action:a,areIcons:!0})})]}),t.deadline_warning&&n("p",{class:"\
batch-warning",children:[n(v,{name:"warning",size:14})," ",n("span",{class:"said",children:t.deadline_warning})]}),a.problem.value&&n(_,{problem:a.problem.value}),
a.result.value&&n("p",{class:"batch-result",role:"status",children:a.result.value})]})}function Qn({batch:e}){let t=We(()=>{let o=ir(e,de.value);return o===null?
"":`about ${Ue(o)} left`}),a=e.deadline!=null&&e.phase==="open"&&e.deadline<de.value;return n("span",{class:"batch-left quiet",children:a?n(ne,{tone:"bad",children:"\
past its deadline"}):t})}function sr({batches:e,put:t}){let a=b(null),o=b(null),r=N(async(l,c)=>(t(await X("POST",`/batches/${R(l)}:priority`,{priority:c})),`${l} has the priority ${c} \
now.`)),i=(l,c)=>{let p=rr(e,l,c);p!==null&&r.run(l,p)},s=(l,c)=>{l.preventDefault(),a.value!==null&&i(a.value,c),a.value=null,o.value=null};return n("section",
{class:"batch-section","aria-labelledby":"queue-title",children:[n("h2",{id:"queue-title",children:"Queue"}),e.length===0&&n("p",{class:"quiet",children:"Nothin\
g waits. What is submitted starts at once."}),r.problem.value&&n(_,{problem:r.problem.value}),n("p",{class:"unseen",role:"status",children:r.result.value}),n("u\
l",{class:"batch-list panel",children:e.map((l,c)=>{let p=te("submit",l.owner),d=g=>{r.run(l.id,Math.min(100,Math.max(-100,g)))};return n(pn,{batch:l,put:t,target:{
class:`batch-queued${o.value===c&&a.value!==l.id?" queue-over":""}`,onDragOver:g=>{a.value!==null&&(g.preventDefault(),o.value=c)},onDrop:g=>s(g,c)},before:n("b\
utton",{type:"button",class:"queue-handle",draggable:p===null,disabled:p!==null,title:p??"Drag to another place, or press the arrow keys","aria-label":`Move ${l.
name||l.id}: place ${c+1} of ${e.length}`,onDragStart:()=>a.value=l.id,onDragEnd:()=>{a.value=null,o.value=null},onKeyDown:g=>{g.key!=="ArrowUp"&&g.key!=="Arrow\
Down"||(g.preventDefault(),i(l.id,c+(g.key==="ArrowUp"?-1:1)))},children:n(v,{name:"menu",size:14})}),priority:n("div",{class:"queue-priority",role:"group","ari\
a-label":`Priority of ${l.name||l.id}`,children:[n(S,{kind:"quiet",icon:"minus",label:"Lower priority",disabled:p!==null,onClick:()=>d(l.priority-1)}),n("span",
{class:"num",title:"Priority: higher ones run first",children:l.priority}),n(S,{kind:"quiet",icon:"plus",label:"Higher priority",disabled:p!==null,onClick:()=>d(
l.priority+1)})]})},l.id)})})]})}function _t(e){return n(f,{children:[n(H,{title:"Work",about:e.about,actions:e.actions??(te("submit")===null?n("a",{class:"button button-primary",href:h.submit(),
children:[n(v,{name:"plus"})," Submit a batch"]}):n($e,{needs:"submit",what:"Submitting"}))}),n("nav",{class:"work-tabs","aria-label":"Work",children:[n("a",{class:"\
work-tab",href:h.work(),"aria-current":e.tab==="batches"?"page":void 0,children:"Batches"}),n("a",{class:"work-tab",href:h.schedules(),"aria-current":e.tab==="s\
chedules"?"page":void 0,children:"Schedules"})]})]})}var Yn=50,ks=e=>e.batch!=null&&e.kind!=="task.step";async function xs(e){let t=(l,c)=>A("/batches",{phase:l,limit:c,tag:M("tag"),owner:M("owner")},e),[a,o,r,i]=await Promise.
all([t("open",1e3),t("paused",1e3),t("ended",Yn),t("cancelled",Yn)]),s=[...r.items,...i.items].sort((l,c)=>c.submitted_at-l.submitted_at);return{queue:Kn([...a.
items,...o.items]),ended:s,cursor:r.next_cursor??null}}function cr(){let e=K({load:xs,isChangedBy:ks},[M("tag"),M("owner")]),t=b([]),a=b(void 0),o=e.value.value,
r=a.value===void 0?o?.cursor??null:a.value,i=N(async()=>{let m=await A("/batches",{phase:"ended",limit:Yn,cursor:r});t.value=[...t.value,...m.items],a.value=m.next_cursor??
null}),s=M("q"),l=m=>{if(o===null)return;let u=y=>y.id===m.id?m:y;e.put({...o,queue:Kn(o.queue.map(u)),ended:o.ended.map(u)}),e.reload()};if(o===null)return n(f,
{children:[n(_t,{tab:"batches"}),e.problem.value&&n(_,{problem:e.problem.value})]});let c=new Set(o.ended.map(m=>m.id)),p=lr(o.queue,s),d=lr([...o.ended,...t.value.
filter(m=>!c.has(m.id))],s),g=o.queue.length===0&&o.ended.length===0&&!M("tag")&&!M("owner");return n(f,{children:[n(_t,{tab:"batches",about:n(Ss,{queue:o.queue})}),
e.problem.value&&n(_,{problem:e.problem.value}),g?n(V,{icon:"layers",title:"No batch yet",action:n(Le,{text:'manyhands submit --goal "Turn on dark mode." --name\
 try'}),children:["A batch is a list of goals in plain language. ",n("a",{href:h.submit(),children:"Submit one here"}),", or from a terminal:"]}):n(f,{children:[
n("div",{class:"toolbar",children:[n(at,{value:s,label:"Search batches",placeholder:"Name, id, owner, tag",onInput:m=>U({q:m})}),(M("tag")||M("owner"))&&n(S,{icon:"\
cross",onClick:()=>U({tag:"",owner:""}),children:M("tag")?`tag ${M("tag")}`:`of ${M("owner")}`})]}),n(sr,{batches:p,put:l}),n("section",{class:"batch-section","\
aria-labelledby":"ended-title",children:[n("h2",{id:"ended-title",children:"Ended"}),d.length===0&&n("p",{class:"quiet",children:"No batch has ended yet."}),n("\
ul",{class:"batch-list panel",children:d.map(m=>n(pn,{batch:m,put:l},m.id))}),r!==null&&s===""&&n(S,{onClick:()=>{i.run()},disabled:i.isRunning.value,children:"\
Show older ones"}),i.problem.value&&n(_,{problem:i.problem.value})]})]})]})}function Ss({queue:e}){let t=e.reduce((o,r)=>o+r.waiting,0),a=e.reduce((o,r)=>o+r.running,
0);return n(f,{children:[j(e.length,"open batch","open batches")," \xB7 ",j(a,"task")," running \xB7 ",t," waiting"]})}function lr(e,t){let a=t.trim().toLowerCase();
return a===""?e:e.filter(o=>[o.id,o.name,o.owner,...o.tags].join(`
`).toLowerCase().includes(a))}var ur=1e3;function dr({batch:e}){let t=M("events")==="1";return n("section",{class:"event-section",children:[n(S,{icon:t?"up":"down",kind:"quiet","aria-expande\
d":t,onClick:()=>U({events:t?"":"1"}),children:"What happened"}),t&&n(Es,{batch:e})]})}function Es({batch:e}){let t=b([]);return P(()=>{let a=[],o=0,r=new Me({path:"\
/events",query:()=>({batch:e,after:0}),onEvent:({data:i})=>{let s=JSON.parse(i);s.kind!=="task.step"&&(a.unshift(s),a.length>ur&&(a=a.slice(0,ur)),o||=requestAnimationFrame(
()=>{o=0,t.value=[...a]}))}});return()=>{r.close(),cancelAnimationFrame(o)}},[e]),n(sn,{events:t.value,label:`Events of ${e}`})}var Zn=500,Ps=1e3,ea={"":{query:{},holds:()=>!0},waiting:{query:{phase:"waiting"},holds:e=>e.phase==="waiting"},paused:{query:{phase:"paused"},holds:e=>e.phase===
"paused"},running:{query:{phase:"running"},holds:e=>e.phase==="running"},done:{query:{is_done:!0},holds:e=>e.is_done===!0},failed:{query:{is_done:!1},holds:nt},
cancelled:{query:{ending:"cancelled"},holds:e=>e.ending==="cancelled"}},ta=class{tasks=x([]);problem=x(null);isLoaded=x(!1);#t;#e;#n=null;#a=!1;#s;#o=new AbortController;constructor(t,a){
this.#t=t,this.#e=a in ea?a:""}open(){let t=Ze({onEvent:a=>this.#l(a),onOpen:()=>this.reload()});return this.#r(null,Zn),()=>{t(),clearTimeout(this.#s),this.#o.
abort()}}more=()=>{this.#n!==null&&this.#r(this.#n,Zn)};reload=()=>{this.#s??=setTimeout(()=>{this.#s=void 0,this.#r(null,Math.min(1e3,Math.max(Zn,this.tasks.value.
length)))},Ps)};put=t=>{this.tasks.value=this.tasks.value.map(a=>a.id===t.id?t:a).filter(this.#i)};get#i(){return ea[this.#e].holds}async#r(t,a){if(!this.#a){this.#a=
!0;try{let o={...this.#t,...ea[this.#e].query,cursor:t,limit:a},r=await A("/tasks",o,this.#o.signal),i=r.items.filter(this.#i);if(t!==null)this.tasks.value=[...this.
tasks.value,...i],this.#n=r.next_cursor??null;else{let s=this.tasks.value.slice(i.length),l=r.next_cursor==null,c=new Set(i.map(p=>p.id));this.tasks.value=l?i:[
...i,...s.filter(p=>!c.has(p.id))],(l||s.length===0)&&(this.#n=r.next_cursor??null)}this.isLoaded.value=!0,this.problem.value=null}catch(o){this.#o.signal.aborted||
(this.problem.value=se(o))}finally{this.#a=!1}}}#l(t){if(t.task==null||this.#t.batch&&t.batch!==this.#t.batch)return;let a=this.tasks.value.findIndex(s=>s.id===
t.task);if(a<0){t.kind!=="task.step"&&this.reload();return}let r={"task.paused":"paused","task.resumed":"waiting"}[t.kind],i=[...this.tasks.value];i[a]={...i[a],
...t.data,...r?{phase:r}:{}},this.tasks.value=i.filter(this.#i)}};function pr(e,t){let a=oe(()=>new ta(e,t),[JSON.stringify(e),t]);return P(()=>a.open(),[a]),a}var Cs=["csv","json","jsonl","junit","html"];function mr({id:e}){let t=K({load:o=>A(`/batches/${R(e)}`,{},o),isChangedBy:o=>o.batch===e&&o.kind!=="task.step"},[
e]),a=t.value.value;return a===null?n(f,{children:[n(H,{title:e,crumbs:[{name:"Work",href:h.work()}]}),t.problem.value&&n(_,{problem:t.problem.value})]}):n(f,{children:[
t.problem.value&&n(_,{problem:t.problem.value}),n(Ts,{batch:a,put:t.put})]})}function Ts({batch:e,put:t}){let a=un(e,t);return n(f,{children:[n(H,{crumbs:[{name:"\
Work",href:h.work()}],title:e.name||e.id,about:n(f,{children:[n(Zt,{phase:e.phase,failed:e.failed})," ",n("span",{class:"mono",children:e.id})," of ",e.owner]}),
actions:n(dn,{batch:e,action:a,areIcons:!1})}),a.problem.value&&n(_,{problem:a.problem.value}),a.result.value&&n(ee,{children:a.result.value}),e.deadline_warning&&
n(ee,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})}),n("div",{class:"batch-large-progress panel",children:[n("div",{class:"batch-large\
-words",children:[n("span",{children:wt(e)}),n(Qn,{batch:e})]}),n(cn,{counts:e})]}),n(fe,{facts:[["Submitted",Q(e.submitted_at)],["Ended",e.ended_at==null?null:
Q(e.ended_at)],["Deadline",e.deadline==null?null:Q(e.deadline)],["Priority",String(e.priority)],["Phones",e.phones?n("span",{class:"said mono",children:e.phones}):
"all"],["Tags",e.tags.length>0&&e.tags.map(o=>n("a",{class:"tag",href:h.work({tag:o}),children:o},o))],["Schedule",e.schedule&&n("a",{href:h.schedules(),children:e.
schedule})],["Results",n(Ms,{batch:e.id},"results")]]}),n(As,{batch:e}),n(dr,{batch:e.id})]})}function Ms({batch:e}){return n("span",{class:"downloads",children:Cs.
map(t=>n("a",{href:qe(`/batches/${R(e)}/results`,{format:t}),download:`${e}.${t}`,children:t},t))})}function As({batch:e}){let t=M("state"),a=M("q").trim().toLowerCase(),
o=pr({batch:e.id},t),r=a?o.tasks.value.filter(i=>`${i.id}
${i.goal}
${i.phone}
${i.reason}`.toLowerCase().includes(a)):o.tasks.value;return n(f,{children:[n("div",{class:"toolbar",children:[n(at,{value:M("q"),label:"Search tasks",placeholder:"\
Id, goal, phone, reason",onInput:i=>U({q:i})}),n(tn,{label:"States",chosen:t,all:e.tasks,choices:[{value:"running",name:"Running",count:e.running},{value:"waiti\
ng",name:"Waiting",count:e.phase==="paused"?null:e.waiting},{value:"done",name:"Done",count:e.done},{value:"failed",name:"Failed",count:e.failed},{value:"cancel\
led",name:"Cancelled",count:e.cancelled??0}],onChoose:i=>U({state:i})})]}),o.problem.value&&n(_,{problem:o.problem.value}),o.isLoaded.value&&r.length===0?n(V,{icon:"\
list",title:"No task is in this state now",children:n("button",{type:"button",class:"link-button",onClick:()=>U({state:"",q:""}),children:["Show all ",w(e.tasks)]})}):
n(ln,{tasks:r,label:`Tasks of ${e.id}`,owner:e.owner,onChanged:o.reload,onEnd:o.more})]})}var Rs=[["none",null],["in 1 hour",1],["in 2 hours",2],["in 8 hours",8],["in a day",24],["in a week",168]];function mn(e){let{fields:t}=e,a=o=>e.onChange({...t,
...o});return n(f,{children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Name"}),n("input",{class:"input",maxLength:200,value:t.
name,placeholder:"nightly regression",onInput:o=>a({name:o.currentTarget.value})})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Phones"}),n("input",{class:"input mono",maxLength:500,value:t.phones,placeholder:"model=Pixel 8, android>=13",spellcheck:!1,onInput:o=>a({phones:o.currentTarget.
value})}),n("span",{class:"labelled-help",children:"A selector by labels. Empty: all phones."})]}),n("div",{class:"field-pair",children:[n("label",{class:"label\
led",children:[n("span",{class:"labelled-name",children:"Priority"}),n("input",{class:"input",type:"number",min:-100,max:100,step:1,value:t.priority,onInput:o=>a(
{priority:Math.round(o.currentTarget.valueAsNumber)||0})})]}),e.hasDeadline!==!1&&n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Deadline"}),n("select",{class:"input",value:String(t.hours),onChange:o=>a({hours:o.currentTarget.value==="null"?null:Number(o.currentTarget.value)}),children:Rs.
map(([o,r])=>n("option",{value:String(r),children:o},o))})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Tags"}),n("inpu\
t",{class:"input",defaultValue:t.tags.join(", "),placeholder:"nightly, release-4.2",onInput:o=>a({tags:o.currentTarget.value.split(",").map(r=>r.trim()).filter(
Boolean)})}),n("span",{class:"labelled-help",children:"Words, with commas between them."})]})]})}function fn(e){let t=F(null),a=F(null),o=Math.max(e.value.split(`
`).length,12),r=new Map;for(let{line:s,text:l}of e.mistakes)s!==null&&r.set(s,[...r.get(s)??[],l]);P(()=>{a.current&&t.current&&(a.current.scrollTop=t.current.scrollTop)});
let i=s=>{let l=t.current;if(l===null)return;let c=e.value.split(`
`),p=c.slice(0,s-1).reduce((d,g)=>d+g.length+1,0);l.focus(),l.setSelectionRange(p,p+(c[s-1]?.length??0)),l.scrollTop=Math.max(0,(s-4)*$s)};return n("div",{class:"\
editor",children:[n("div",{class:"editor-frame",children:[n("div",{ref:a,class:"editor-gutter","aria-hidden":"true",children:Array.from({length:o},(s,l)=>n("spa\
n",{class:r.has(l+1)?"editor-wrong":"",title:r.get(l+1)?.join(`
`),children:l+1},l))}),n("textarea",{ref:t,class:"editor-text mono","aria-label":e.label,"aria-invalid":e.mistakes.length>0,"aria-describedby":"editor-mistakes",
placeholder:e.placeholder,value:e.value,rows:Math.min(o,24),wrap:"off",spellcheck:!1,onInput:s=>e.onInput(s.currentTarget.value),onScroll:s=>{a.current&&(a.current.
scrollTop=s.currentTarget.scrollTop)}})]}),n("ul",{id:"editor-mistakes",class:"editor-mistakes","aria-live":"polite",children:e.mistakes.map(({line:s,text:l})=>n(
"li",{class:"editor-mistake",children:[n(v,{name:"warning",size:14}),s!==null&&n("button",{type:"button",class:"link-button",onClick:()=>i(s),children:["line ",
s]}),n("span",{class:"said",children:l})]},`${s} ${l}`))})]})}var $s=20;var hn={name:"",priority:0,tags:[],hours:null,phones:""};function kt(e){return e.split(`
`).map(t=>t.trim()).filter(t=>t!==""&&!t.startsWith("#"))}function gn(e){return e.kind==="goals"?kt(e.text).length===0:e.text.trim()===""}function na(e){return e.
map((t,a)=>({id:`goal-${a+1}`,goal:t}))}async function fr(e,t){return await(await ze(yr("/batches:check",e),{...vr(e),method:"POST",signal:t})).json()}async function hr(e,t){
let a=vr(e),o={"Idempotency-Key":t};return await(await ze(yr("/batches",e),{...a,method:"POST",headers:o})).json()}function gr(e){return e.hours===null?null:Math.
round(Date.now()/1e3+e.hours*3600)}function vr(e){if(e.kind==="yaml")return{text:{content:e.text,type:"application/yaml"}};let{name:t,priority:a,tags:o,phones:r}=e.
fields,i=gr(e.fields);return{body:{tasks:na(kt(e.text)),name:t,priority:a,tags:o,phones:r,...i===null?{}:{deadline:i}}}}function yr(e,t){if(t.kind!=="yaml")return e;
let{name:a,priority:o,tags:r,phones:i}=t.fields,s=new URLSearchParams;a&&s.set("name",a),o!==0&&s.set("priority",String(o));for(let p of r)s.append("tag",p);i&&
s.set("phones",i);let l=gr(t.fields);l!==null&&s.set("deadline",String(l));let c=s.toString();return c?`${e}?${c}`:e}var Bs=[["every night at 2:00","0 2 * * *"],["on weekdays at 7:30","30 7 * * MON-FRI"],["every quarter of an hour","every 15m"],["every 6 hours","every 6h"]];function br(){
let e=b(""),t=b(hn),a=b("0 2 * * *"),o=b(Intl.DateTimeFormat().resolvedOptions().timeZone||"UTC"),r=b("skip"),i=b("once"),s=N(async()=>{let{name:c,priority:p,tags:d,
phones:g}=t.value;await X("POST","/schedules",{name:c,when:a.value,zone:o.value,overlap:r.value,missed:i.value,batch:{tasks:na(kt(e.value)),name:c,priority:p,tags:d,
phones:g}}),Y(["work","schedules"])}),l=kt(e.value).length>0&&t.value.name.trim()!==""&&te("submit")===null;return n(f,{children:[n(H,{crumbs:[{name:"Work",href:h.
work()},{name:"Schedules",href:h.schedules()}],title:"Make a schedule"}),n($e,{needs:"submit",what:"Making schedules"}),n("form",{class:"submit-form",onSubmit:c=>{
c.preventDefault(),l&&s.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"field-pair",children:[n("label",{class:"labelled",children:[n("s\
pan",{class:"labelled-name",children:"When"}),n("input",{class:"input mono",value:a.value,required:!0,onInput:c=>a.value=c.currentTarget.value}),n("span",{class:"\
labelled-help",children:["An interval, such as ",n("code",{children:"every 15m"}),", or a cron line: minute hour day month weekday."]})]}),n("label",{class:"lab\
elled",children:[n("span",{class:"labelled-name",children:"Time zone"}),n("input",{class:"input",value:o.value,required:!0,onInput:c=>o.value=c.currentTarget.value}),
n("span",{class:"labelled-help",children:"By its IANA name. Intervals need none."})]})]}),n("div",{class:"chips",role:"group","aria-label":"Times that many use",
children:Bs.map(([c,p])=>n("button",{type:"button",class:"chip","aria-pressed":a.value===p,onClick:()=>a.value=p,children:c},p))}),n(fn,{value:e.value,label:"Go\
als, one a line",placeholder:`Turn on dark mode.
Set an alarm for 6:30.`,mistakes:[],onInput:c=>e.value=c}),n("p",{class:"quiet",children:["Schedules of YAML files are made by ",n("code",{children:"manyhands s\
chedules add NAME FILE --when LINE"}),"."]})]}),n("div",{class:"submit-side",children:[n(mn,{fields:t.value,hasDeadline:!1,onChange:c=>t.value=c}),n("label",{class:"\
labelled",children:[n("span",{class:"labelled-name",children:"If the last batch has not ended"}),n("select",{class:"input",value:r.value,onChange:c=>r.value=c.currentTarget.
value,children:[n("option",{value:"skip",children:"submit nothing"}),n("option",{value:"queue",children:"submit as soon as it has"}),n("option",{value:"cancel_o\
ld",children:"cancel it"})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Times that were missed"}),n("select",{class:"in\
put",value:i.value,onChange:c=>i.value=c.currentTarget.value,children:[n("option",{value:"once",children:"submit one batch for all"}),n("option",{value:"skip",children:"\
submit nothing"})]})]}),s.problem.value&&n(_,{problem:s.problem.value}),n(S,{type:"submit",kind:"primary",icon:"plus",disabled:!l||s.isRunning.value,children:"M\
ake the schedule"}),!l&&te("submit")===null&&n("p",{class:"labelled-help",children:"It needs a name and a goal."})]})]})]})}function wr(){let e=K({load:r=>A("/schedules",{limit:500},r),isChangedBy:r=>r.kind.startsWith("schedule."),pollMs:3e4},[]),t=e.value.value?.items,a=te("submit")===
null,o=a?n("a",{class:"button button-primary",href:h.newSchedule(),children:[n(v,{name:"plus"})," Make a schedule"]}):n($e,{needs:"submit",what:"Making schedule\
s"});return n(f,{children:[n(_t,{tab:"schedules",actions:o}),e.problem.value&&n(_,{problem:e.problem.value}),t?.length===0&&n(V,{icon:"clock",title:"No schedule\
 yet",action:n(Le,{text:'manyhands schedules add nightly tasks.yaml --when "0 2 * * *" --zone Europe/Berlin'}),children:["A schedule submits the same batch at s\
et times. ",a&&n("a",{href:h.newSchedule(),children:"Make one here"}),a&&", or from a terminal:"]}),n("ul",{class:"schedules",children:t?.map(r=>n(Ls,{schedule:r,
reload:e.reload},r.id))})]})}function Ls({schedule:e,reload:t}){let a=N(async s=>{let l=`/schedules/${R(e.id)}`;s==="remove"?await X("DELETE",l):await X("POST",
`${l}:${s}`),t()}),o={needs:"submit",owner:e.owner,disabled:a.isRunning.value},r=e.next_times??[],i=r[0];return n("li",{class:"schedule panel",children:[n("div",
{class:"schedule-head",children:[n("div",{class:"schedule-name",children:[n("h2",{class:"said",children:e.name}),n("p",{class:"quiet",children:[n("code",{class:"\
said",children:e.when}),!e.when.startsWith("every")&&` in ${e.zone}`," \xB7 ",j(e.batch.tasks.length,"task")," \xB7 by ",n("span",{class:"said",children:e.owner})]})]}),
n("div",{class:"schedule-actions",children:[e.paused?n(J,{...o,icon:"play",onClick:()=>{a.run("resume")},children:"Let it go on"}):n(J,{...o,icon:"pause",onClick:()=>{
a.run("pause")},children:"Pause"}),n(rt,{...o,name:"Delete",icon:"cross",question:`Delete the schedule ${e.name}? Batches that it has submitted stay.`,yes:"Dele\
te the schedule",onConfirm:()=>{a.run("remove")}})]})]}),n("div",{class:"schedule-times",children:[e.paused?n(ne,{tone:"warn",icon:"pause",children:"paused"}):n(
"span",{children:["Next ",i!==void 0&&n("strong",{children:["in ",Ue(i-de.value)]}),n("span",{class:"quiet",children:[" ",r.slice(0,3).map(Q).join(" \xB7 ")]})]}),
e.last_batch&&n("span",{class:"quiet",children:["Last"," ",n("a",{href:h.batch(e.last_batch),children:e.last_batch})," ",e.last_due!=null&&n(me,{at:e.last_due})]}),
n("span",{class:"quiet",children:[w(e.submitted??0)," submitted, ",w(e.skipped??0)," skipped"]})]}),e.problem&&n("p",{class:"batch-warning",children:[n(v,{name:"\
warning",size:14})," ",n("span",{class:"said",children:e.problem})]}),a.problem.value&&n(_,{problem:a.problem.value})]})}var Ns=400,Is=[{value:"goals",name:"Goals"},{value:"yaml",name:"YAML"}],Os=`Turn on dark mode.
Read the last message from Maria and reply to it.`,Js=`tasks:
  - id: dark
    goal: Turn on dark mode.
  - id: alarm
    goal: Set an alarm for 6:30.`;function _r(){let e=M("as")==="yaml"?"yaml":"goals",t=b({goals:"",yaml:""}),a=b(hn),o=b(!1),r={kind:e,text:t.value[e],fields:a.
value},i=Xs(r),s=oe(()=>crypto.randomUUID(),[JSON.stringify(r)]),l=N(async()=>{let m=await hr(r,s);Y(["batches",m.id])}),c=(m,u=e)=>{t.value={...t.value,[u]:m},
l.forget()},p=async m=>{m!==void 0&&(c(await m.text(),"yaml"),a.value.name===""&&(a.value={...a.value,name:m.name.replace(/\.ya?ml$/i,"")}),U({as:"yaml"}))},d=i.
found?.mistakes??[],g=!gn(r)&&d.length===0&&te("submit")===null;return n("div",{class:`submit${o.value?" submit-over":""}`,onDragOver:m=>{m.preventDefault(),o.value=
!0},onDragLeave:()=>o.value=!1,onDrop:m=>{m.preventDefault(),o.value=!1,p(m.dataTransfer?.files[0])},children:[n(H,{crumbs:[{name:"Work",href:h.work()}],title:"\
Submit a batch"}),n($e,{needs:"submit",what:"Submitting"}),n("form",{class:"submit-form",onSubmit:m=>{m.preventDefault(),g&&l.run()},onKeyDown:m=>{m.key==="Ente\
r"&&(m.ctrlKey||m.metaKey)&&g&&l.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"submit-kinds",children:[n(ot,{label:"What you write",value:e,
choices:Is,onChoose:m=>U({as:m==="yaml"?m:""})}),n("label",{class:"button submit-file",children:["Choose a YAML file",n("input",{type:"file",class:"unseen",accept:"\
.yaml,.yml,application/yaml,text/yaml",onChange:m=>{p(m.currentTarget.files?.[0])}})]}),n("span",{class:"quiet submit-hint",children:"or drop one anywhere here"})]}),
n(fn,{value:t.value[e],label:e==="goals"?"Goals, one a line":"Tasks in YAML",placeholder:e==="goals"?Os:Js,mistakes:d,onInput:m=>c(m)},e),i.problem&&n(_,{problem:i.
problem}),n(Fs,{check:i.found,isEmpty:gn(r)})]}),n("div",{class:"submit-side",children:[n(mn,{fields:a.value,onChange:m=>a.value=m}),l.problem.value&&n(_,{problem:l.
problem.value}),n(S,{type:"submit",kind:"primary",icon:"plus",disabled:!g||l.isRunning.value,children:l.isRunning.value?"Submitting\u2026":i.found&&g?`Submit ${j(
i.found.tasks,"task")}`:"Submit"})]})]})]})}function Fs({check:e,isEmpty:t}){return t?n("p",{class:"quiet",children:["Say each goal as you would to a person. Ta\
sks with checks, answers or hints are written in YAML, as"," ",n("code",{children:"manyhands run"})," reads it."]}):e===null||e.mistakes.length>0?null:n(f,{children:[
n("p",{class:"submit-good",children:[j(e.tasks,"task")," without a mistake."]}),e.unmatched.map(a=>n(ee,{tone:"warn",children:n("p",{class:"said",children:["No \
phone of the fleet fits ",a.task===null?"the batch's":`${a.task}'s`," selector ",n("code",{children:a.phones}),".",a.task===null?" Its tasks wait":" It waits","\
 until such a phone comes."]})},`${a.task} ${a.phones}`)),e.deadline_warning&&n(ee,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})})]})}
function Xs(e){let t=b(null),a=b(null);return P(()=>{if(gn(e)){t.value=null,a.value=null;return}let o=new AbortController,r=setTimeout(()=>{fr(e,o.signal).then(
i=>{t.value=i,a.value=null},i=>{o.signal.aborted||(a.value=se(i))})},Ns);return()=>{clearTimeout(r),o.abort()}},[JSON.stringify(e)]),{found:t.value,problem:a.value}}function kr({id:e}){let t=e.split(".")[0]??e,a=K({load:s=>A(`/tasks/${R(e)}`,{},s),isChangedBy:s=>s.task===e},[e]),o=K({load:s=>A(`/batches/${R(t)}`,{},s)},[t]),
r=[{name:"Work",href:h.work()},{name:o.value.value?.name||t,href:h.batch(t)}],i=a.value.value;return n(f,{children:[i===null?n(H,{title:e,crumbs:r}):n(Ws,{task:i,
owner:o.value.value?.owner,crumbs:r,put:a.put}),a.problem.value&&n(_,{problem:a.problem.value})]})}function Ws(e){let{task:t}=e,a=N(async r=>{let i=await X("POS\
T",`/tasks/${R(t.id)}:${r}`);r==="retry"?Y(["tasks",i.id]):e.put(i)}),o={needs:"submit",disabled:a.isRunning.value,...e.owner===void 0?{}:{owner:e.owner}};return n(
f,{children:[n(H,{crumbs:e.crumbs,title:t.goal,about:n(f,{children:[n(en,{task:t})," ",n("span",{class:"mono",children:t.id})]}),actions:n(f,{children:[t.episode&&
n("a",{class:"button button-primary",href:h.episode(t.episode),children:[n(v,{name:"play"})," ",t.phase==="running"?"Watch it live":"Open its film"]}),t.phase===
"waiting"&&n(J,{...o,icon:"pause",onClick:()=>{a.run("pause")},children:"Pause"}),t.phase==="paused"&&n(J,{...o,icon:"play",onClick:()=>{a.run("resume")},children:"\
Let it go on"}),nt(t)&&n(J,{...o,icon:"retry",onClick:()=>{a.run("retry")},children:"Retry"}),t.phase!=="ended"&&n(rt,{...o,name:"Cancel",icon:"stop",question:`\
Cancel the task ${t.id}?`,yes:"Cancel the task",onConfirm:()=>{a.run("cancel")}})]})}),a.problem.value&&n(_,{problem:a.problem.value}),t.phase==="ended"&&t.reason&&
n(ee,{tone:t.is_done?"good":"warn",children:[n("p",{class:"note-title",children:Be(t.ending??"")}),n("p",{class:"said",children:t.reason})]}),t.answer&&n(ee,{tone:"\
quiet",children:[n("p",{class:"note-title",children:"Answer"}),n("p",{class:"said",children:t.answer})]}),n(fe,{facts:[["Phone",t.phone&&n("a",{href:h.phone(t.phone),
children:t.phone})],["Began",t.started_at==null?null:Q(t.started_at)],["Ended",t.ended_at==null?null:Q(t.ended_at)],["Took",t.ended_at==null||t.started_at==null?
null:pe(t.ended_at-t.started_at)],["Steps",t.steps??(t.step==null?null:t.step+1)],["Now",t.doing&&n("span",{class:"said",children:t.doing})],["Attempts",t.attempts||
null],["Priority",String(t.priority)],["Check",t.verified==null?null:t.verified?"holds":"does not hold"],["Retry of",t.retry_of&&n("a",{href:h.task(t.retry_of),
children:t.retry_of})]]})]})}function xr(){let e=Ot.value.path,t=qs(e);return P(()=>{Gt.value=t.name},[t.name]),P(()=>{scrollTo({top:0})},[e.join("/")]),n(f,{children:t.page()})}function qs(e){
let[t="fleet",a=""]=e;switch(t){case"fleet":return{name:"Fleet",page:()=>n(Bo,{})};case"phones":return{name:a,page:()=>n(ar,{serial:a},a)};case"work":return zs(
e);case"batches":return{name:a,page:()=>n(mr,{id:a},a)};case"tasks":return{name:a,page:()=>n(kr,{id:a},a)};case"attention":return{name:"Attention",page:()=>n(_o,
{})};case"health":return{name:"Health",page:()=>n(Ko,{})};default:return{name:"No such page",page:()=>n(Sr,{})}}}function zs(e){switch(e.slice(1).join("/")){case"":
return{name:"Work",page:()=>n(cr,{})};case"submit":return{name:"Submit a batch",page:()=>n(_r,{})};case"schedules":return{name:"Schedules",page:()=>n(wr,{})};case"\
schedules/new":return{name:"Make a schedule",page:()=>n(br,{})};default:return{name:"No such page",page:()=>n(Sr,{})}}}function Sr(){return n(V,{icon:"search",title:"\
There is no such page",children:["Perhaps the address was cut off when it was copied. The ",n("a",{href:h.fleet(),children:"fleet"})," is the first page."]})}function Er({problem:e}){let t=b(!1),a=async o=>{o.preventDefault();let r=o.currentTarget,i=String(new FormData(r).get("token")??"").trim();i!==""&&(t.value=!0,
await On(i),t.value=!1)};return n("main",{class:"sign-in",children:n("form",{class:"sign-in-form panel",onSubmit:o=>{a(o)},children:[n("h1",{children:n(Yt,{})}),
n("p",{class:"quiet",children:"Sign in to this service with your token."}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Token"}),
n("input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&n(_,{problem:e}),n(S,{type:"submit",
kind:"primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),n("div",{class:"sign-in-help quiet",children:[n("p",{children:["The first start \
of the service prints its token, and keeps it in the file ",n("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),n(Le,{text:"many\
hands tokens make YOUR-NAME --role submit"})]})]})})}function Pr(){let e=qa.value;return e.kind==="asking"?n("main",{class:"shell-wait","aria-busy":"true",children:n("p",{class:"quiet",children:[n(v,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="out"?n(Er,{problem:e.problem}):n(Ds,{})}function Ds(){return P(()=>{Jn([Ka(),Ya()]);let e=io();return()=>{
Jn([]),e(),Qa(),Za()}},[]),n("div",{class:"shell",children:[n("a",{class:"skip-link",href:"#/",onClick:Hs,children:"Skip to the page"}),n(fo,{}),n("div",{class:"\
shell-page",children:[n(to,{}),n("main",{id:"page",tabIndex:-1,children:n(xr,{})})]}),n(mo,{})]})}function Hs(e){e.preventDefault(),document.getElementById("pag\
e")?.focus()}Bn();ja();Da();ha(n(Pr,{}),document.getElementById("app"));})();
