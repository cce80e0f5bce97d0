"use strict";(()=>{var L,aa,no,We,eo,nn,ra,en,ia,oo,to,Gs,Pt=Symbol.for("pv"),on={},an=[],Ys=/^m(i|n|o|s|text|space)$/,ao=Array.isArray,ro=an.slice,Ze=Object.assign;function Qe(e){
e&&e.parentNode&&e.remove()}function sa(e,t,o){var a,r,i,s={},l=arguments.length;for(i in t)i=="key"?a=t[i]:i=="ref"&&typeof e!="function"?r=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?ro.call(arguments,2):o),Et(e,s,a,r,null)}function Et(e,t,o,a,r){var i={type:e,props:t,key:o,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Pt,__v:r||++aa,__i:-1,__u:0};return!r&&L.vnode&&L.
vnode(i),i}function h(e){return e.children}function pt(e,t){this.props=e,this.context=t,this.__g=0}function qe(e,t){if(t==null)return e.__&&qe(e.__,e.__i+1);for(var o;t<e.
__k.length;t++)if((o=e.__k[t])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:qe(e)}function Qs(e){var t,o=e.__v,a=o.__e,r=[],i=[],s=e.__P;
s&&((t=Ze({constructor:Pt},o)).__v=o.__v+1,L.vnode&&L.vnode(t),io(s,t,o,e.__n,s.namespaceURI,32&o.__u?[a]:null,r,a||qe(o),32&o.__u,i),t.__v=o.__v,t.__.__k[t.__i]=
t,ma(r,t,i),o.__=o.__e=null,t.__e!=a&&la(t))}function la(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
la(e)}function na(e){(8&e.__g||(e.__g|=8,We.push(e),nn++))&&eo==L.debounceRendering||((eo=L.debounceRendering)||queueMicrotask)(ca)}function ca(){try{for(var e,
t=1;We.length;)We.length>t&&We.sort(ra),e=We.shift(),t=We.length,8&e.__g&&Qs(e)}finally{(nn=We.length)&&(eo||queueMicrotask)(ca)}}function da(e,t,o,a,r,i,s,l,c,u,d){
var f,m,p,g,w,b,I=a.__k||an,$=t.length;for(c=Zs(o,t,I,c,$),f=0;f<$;f++)(p=o.__k[f])!=null&&(m=~p.__i&&I[p.__i]||on,p.__i=f,b=io(e,p,m,r,i,s,l,c,u,d),g=p.__e,(m.
ref!=p.ref||8&m.__u)&&(m.ref&&so(m.ref,null,p,m),p.ref&&d.push(p.ref,p.__c||g,p)),w=w||g,4&p.__u?(c=pa(p,c,e,!m.__v),m.__e&&(m.__e=null)):typeof p.type=="functi\
on"&&b!==void 0?c=b:g&&(c=g.nextSibling),p.__u&=-21);return o.__e=w,c}function Zs(e,t,o,a,r){var i,s,l,c,u,d,f,m,p,g=o.length,w=g,b=0,I=0,$=e.__k=Array(r);for(i=
0;i<r;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=$[i]=Et(null,s):ao(s)?s=$[i]=Et(h,{children:s}):
s.constructor===Pt&&s.__b?s=$[i]=Et(s.type,s.props,s.key,s.ref,s.__v):$[i]=s,c=i+b,s.__=e,s.__b=e.__b+1,l=null,~(u=s.__i=el(s,o,c,w))&&(w--,(l=o[u])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,u==c-1?b--:u==c+1?b++:u!=c&&(u>c?b--:b++,I=1)):(~u||(r>g?b--:r<g&&b++),typeof s.type!="function"&&(s.__u|=4))):$[i]=null;if(I){for(d=[],f=[],
i=0;i<r;i++)if((s=$[i])&&16&s.__u){for(b=0,m=d.length;b<m;)d[p=b+m>>1]<s.__i?b=p+1:m=p;d[b]=s.__i,f[i]=b+1}for(b=d.length;i--;)f[i]&&(f[i]==b?b--:$[i].__u|=4)}if(w)
for(i=0;i<g;i++)!(l=o[i])||2&l.__u||(l.__e==a&&(a=qe(l)),lo(l,l));return a}function pa(e,t,o,a){var r,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&(r[i].__=e,t=pa(r[i],t,o,!1));return t}for(t&&!t.parentNode&&(t=qe(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!a&&o.moveBefore&&s.parentNode?o.moveBefore(s,t):o.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function el(e,t,o,a){var r,i=e.key,s=e.type,l=t[o],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return o;if(a>(c?1:0)){for(r=o-1;r>=0;r--)if((l=
t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r;for(r=o+1;r<t.length;r++)if((l=t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r}return-1}function oa(e,t,o){o==null&&
(o=""),t[0]=="-"?e.setProperty(t,o):e[t]=o}function Zt(e,t,o,a,r){var i,s;if(t=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof a=="string"&&(e.style.
cssText=a=""),a)for(t in a)o&&t in o||oa(e.style,t);if(o)for(t in o)a&&o[t]==a[t]||oa(e.style,t,o[t])}else if(t[0]=="o"&&t[1]=="n")typeof o!="function"&&(o=null),
typeof a!="function"&&(a=null),(e.__e||(e.__e={}))[t]=o,o&&a||(s=to[t]||(to[t]=tl(t)),(e.__a||(e.__a={}))[t]=oo,i=t!=(t=t.replace(ia,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),o?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(r=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&o==1?"":o)}}function tl(e){
return function(t){var o=this.__e;if(o){if(o=o[e],t[en]==null)t[en]=oo++;else if(t[en]<this.__a[e])return;return o(L.event?L.event(t):t)}}}function io(e,t,o,a,r,i,s,l,c,u){
var d,f,m,p,g,w,b,I,$,z,H,M,K,me,Me,Qt,Xe,Ye,Re=t.type;if(t.constructor!==Pt)return null;128&o.__u&&(c=32&o.__u,d=o.__c.__z)&&(t.__u|=c,f=i=[],d.nodeType==8?l=tn(
d,i):i.push(d),l=i[0]||l),(d=L.__b)&&d(t);e:if(typeof Re=="function"){m=s.length;try{if(I=t.props,$=(d=Re.prototype)&&d.render,z=(d=Re.contextType)&&a[d.__c],H=
d?z?z.props.value:d.__:a,(p=o.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):($?t.__c=p=new Re(I,H):(t.__c=p=new pt(I,H),p.constructor=Re,p.render=ol),z&&z.sub(p),p.state||
(p.state={}),p.__n=a,p.__g|=8,p.__h=[],p.__k=[]),$&&(p.__s||(p.__s=p.state),Re.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=Ze({},p.__s)),Ze(p.__s,Re.getDerivedStateFromProps(
I,p.__s)))),g=p.props,w=p.state,p.__v=t,o.__c){if(I!==g&&$&&!Re.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(I,H),t.__v==o.
__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(I,p.__s,H)===!1){t.__v!=o.__v&&(p.props=I,p.state=p.__s,p.__g&=-9),t.__e=o.__e,t.__k=
o.__k,t.__k.some(function(ge){ge&&(ge.__=t)}),an.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&s.push(p),l=qe(o);break e}p.componentWillUpdate&&p.componentWillUpdate(
I,p.__s,H),$&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(g,w,b)})}else $&&!Re.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),
$&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=H,p.props=I,p.__P=e,p.__g&=-5,M=L.__r,K=$?25:0;do p.__g&=-9,M&&M(t),d=p.render(p.props,p.state=
p.__s,p.context);while(8&p.__g&&++K<25);$&&(an.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(a=Ze({},a,p.getChildContext())),$&&o.__c&&p.getSnapshotBeforeUpdate&&
(b=p.getSnapshotBeforeUpdate(g,w)),me=d&&d.type===h&&d.key==null?d.props.children:d,I.__P&&(d=l,r=(e=I.__P).namespaceURI,c=i=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(ge){ge&&lo(ge,ge)}),o.__k=null),l=o.__k?qe(o,0):null),l=da(e,ao(me)?me:[me],t,o,a,r,i,s,l,c,u),I.__P&&(t.__e=null,l=d),t.__u&=-161,f&&f.some(Qe),p.
__h.length&&s.push(p),1&p.__g&&(p.__g&=-4)}catch(ge){if(s.length=m,t.__v=null,c||i)if(ge&&ge.then){if(t.__u|=128|c,i){for(~(Xe=i.indexOf(l||void 0))||(Xe=i.length);(Ye=
i[Xe-1])&&Ye.nodeType==8;)Xe--;for(;Xe<i.length;Xe++)if(Ye=i[Xe])if(i[Xe]=null,Me){if(Ye==Qt)break}else{if(Ye.nodeType!=8)break;Ye.data.startsWith("$s")&&(Qt=tn(
Me=Ye))}}if(!Me){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;Me=l}(d=tn(Me=t.__c.__z||(t.__c.__z=Me)))?(t.__e=Me,l=d):t.__e=l,l=l&&l.nextSibling}else i&&
i.some(Qe);else t.__e=o.__e;t.__k||(t.__k=o.__k||[]),ge&&ge.then||ua(t),L.__e(ge,t,o)}}else l=t.__e=nl(o.__e,t,o,a,r,i,s,c,u,e);return(d=L.diffed)&&d(t),l}function tn(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)
return e}t&&t.push(e)}}function ua(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(ua))}function ma(e,t,o){for(var a=0;a<o.length;)so(o[a++],o[a++],o[a++]);L.__c&&
L.__c(t,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(i){i.call(r)})}catch(i){L.__e(i,r.__v)}})}function nl(e,t,o,a,r,i,s,l,c,u){var d,f,m,p,g,w,b,
I,$=o.props||on,z=t.props,H=t.type;if(H=="svg"?r="http://www.w3.org/2000/svg":H=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xht\
ml"),i){for(d=0;d<i.length;d++)if((g=i[d])&&(H?g.localName==H:g.nodeType==3)){e=g,i[d]=null;break}}if(!e){if(I=u.ownerDocument||document,!H)return I.createTextNode(
z);e=I.createElementNS(r,H,z.is?z:u),l&&(L.__m&&L.__m(t,i),l=!1),i=null}if(H){if(u=H=="template"&&e.content||e,i=H=="textarea"&&z.defaultValue!=null?null:i&&ro.
call(u.childNodes),!l&&i)for($={},d=0;d<e.attributes.length;d++)$[(g=e.attributes[d]).name]=g.value;for(d in $)g=$[d],d=="dangerouslySetInnerHTML"?m=g:d=="child\
ren"||d in z||d=="value"&&"defaultValue"in z||d=="checked"&&"defaultChecked"in z||Zt(e,d,null,g,r);for(d in z)g=z[d],d=="children"?p=g:d=="dangerouslySetInnerHT\
ML"?f=g:d=="value"?w=g:d=="checked"?b=g:l&&typeof g!="function"||$[d]===g||Zt(e,d,g,$[d],r);f?(l||m&&(f.__html==m.__html||f.__html==e.innerHTML)||(e.innerHTML=f.
__html),t.__k=[]):(m&&(e.textContent=""),(H=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Ys.test(H))&&(r="http://www.w3.org/1999/xhtml"),da(u,ao(p)?
p:[p],t,o,a,r,i,s,i?i[0]:o.__k&&qe(o,0),l,c),i&&i.some(Qe)),l&&H!="textarea"||(d="value",H=="progress"&&w==null?e.removeAttribute(d):w==null||w===e[d]&&(H!="pro\
gress"||w)||Zt(e,d,w,$[d],r),d="checked",b!=null&&b!=e[d]&&Zt(e,d,b,$[d],r))}else $===z||l&&e.data==z||(e.data=z);return e}function so(e,t,o,a){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:a&&(a=a.__c||a.__e)&&(t=a.__x)&&(a.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(r){L.__e(r,o)}}function lo(e,t,o){var a,
r,i,s;if(L.unmount&&L.unmount(e),!(a=e.ref)||a.current&&a.current!=e.__e||so(a,null,t,e),a=e.__c){if(a.componentWillUnmount)try{a.componentWillUnmount()}catch(l){
L.__e(l,t)}a.__P=a.__n=null}if(a=e.__k)for(s=0;s<a.length;s++)a[s]&&lo(a[s],t,typeof e.type!="function"||o&&!e.props.__P);!o&&(a=e.__c)&&(a=a.__z)&&(r=tn(a,i=[]))&&
(a==e.__e&&i.some(Qe),Qe(r),Qe(a)),o||Qe(e.__e),e.__e=e.__c=e.__=null}function ol(e,t,o){return this.constructor(e,o)}function fa(e,t){var o,a,r,i;L.__&&L.__(e,
t),t.nodeType==9&&(t=t.documentElement),a=(o=e&&32&e.__u)?null:t.__k,t.__k=Et(h,{children:[e]}),r=[],i=[],io(t,t.__k,a||on,on,t.namespaceURI,a?null:t.firstChild?
ro.call(t.childNodes):null,r,a?a.__e:t.firstChild,o,i),ma(r,t.__k,i),t.__k.props.children=null}L={__e:function(e,t,o,a){for(var r,i,s;t=t.__;)if((r=t.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(i=r.constructor)&&i.getDerivedStateFromError)&&r.setState(i.getDerivedStateFromError(
e)),r.componentDidCatch&&(r.componentDidCatch(e,a||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(l){e=l}}throw nn=0,e}},aa=0,no=function(e){return e!=null&&e.
constructor===Pt},pt.prototype.setState=function(e,t){var o=this.__s;o&&o!=this.state||(o=this.__s=Ze({},this.state)),typeof e=="function"&&(e=e(Ze({},o),this.props)),
e&&(Ze(o,e),this.__v&&(t&&this.__k.push(t),na(this)))},pt.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),na(this))},pt.prototype.render=
h,We=[],nn=0,ra=function(e,t){return e.__v.__b-t.__v.__b},en=Symbol(),ia=/(PointerCapture)$|Capture$/i,oo=0,to={},Gs=0;var et,Q,co,ha,po=Object.is,rn=0,_a=[],uo=[],Y=L,ga=Y.__b,va=Y.__r,ya=Y.diffed,ba=Y.__c,xa=Y.unmount,wa=Y.__;function Tt(e,t){Y.__h&&Y.__h(Q,e,rn||t),rn=0;var o=Q.
__H||(Q.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function _(e){return rn=1,al(Ea,e)}function al(e,t,o){var a=Tt(et++,2);if(a.t=e,!a.__c&&
(a.__=[o?o(t):Ea(void 0,t),function(i){var s=(a.__N||a.__)[0],l=a.t(s,i);po(s,l)||(a.__N=[l,a.__[1]],a.__c.setState({}))}],a.__c=Q,!Q.__f)){Q.__f=!0;var r=Q.shouldComponentUpdate;
Q.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var u=!1,d=this.props!=i;if(c.__.some(function(m){m.__N&&(u=!0,po(m.__[0],m.__N[0])||(d=!0))}),
r){var f=r.call(this,i,s,l);return u?f||d:f}return!u||d}}return a.__}function S(e,t){var o=Tt(et++,3);!Y.__s&&fo(o.__H,t)&&(o.__P=!0,o.__=e,o.u=t,Q.__H.__h.push(
o))}function ie(e,t){var o=Tt(et++,4);!Y.__s&&fo(o.__H,t)&&(o.__P=!1,o.__=e,o.u=t,Q.__h.push(o))}function B(e){return rn=5,X(function(){return{current:e}},[])}function X(e,t){var o=Tt(et++,7);return fo(o.__H,t)&&(o.__=e(),o.__H=t),o.__}function sn(){var e=Tt(et++,11);if(!e.__){for(var t=Q.__v;!t.__m&&t.__;)t=t.__;var o=t.__m||(t.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function rl(){var e;
do{for(;e=uo.shift();)try{Ct(e)}catch(o){Y.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=_a.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Ct),t.__h.some(mo),t.__h=[]}catch(o){
t.__h=[],Y.__e(o,e.__v)}}}while(uo.length)}Y.__b=function(e){Q=null,ga&&ga(e)},Y.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),wa&&wa(e,t)},Y.__r=function(e){
va&&va(e),et=0;var t=(Q=e.__c).__H;t&&(co==Q?Q.__h=[]:(t.__h.some(Ct),t.__h.some(mo),et=0),t.__h=[],t.__.some(function(o){o.__N&&(o.__=o.__N),o.u=o.__N=void 0})),
co=Q},Y.diffed=function(e){ya&&ya(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&ka(_a.push(t)),t.__H.__.some(function(o){o.u&&(o.__H=o.u)})),co=Q=null},Y.__c=function(e,t){
t.some(function(o){try{o.__h.some(Ct),o.__h=o.__h.filter(function(a){return!a.__||mo(a)})}catch(a){o.__h=[function(){throw a}]}}),ba&&ba(e,t)},Y.unmount=function(e){
xa&&xa(e);var t,o,a=e.__c;a&&a.__H&&(a.__H.__.some(function(r){try{if(r.__P&&r.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.__c.__P);)o=o.__;o=o&&o.__c}r.__P=o,
ka(uo.push(r))}else Ct(r)}catch(i){t=i}}),a.__H=void 0,t&&Y.__e(t,a.__v))};var Sa=typeof requestAnimationFrame=="function";function il(e){var t,o=function(){clearTimeout(
a),Sa&&cancelAnimationFrame(t),setTimeout(e)},a=setTimeout(o,35);Sa&&(t=requestAnimationFrame(o))}function ka(e){e!=1&&ha==Y.requestAnimationFrame||((ha=Y.requestAnimationFrame)||
il)(rl)}function Ct(e){var t=Q,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),Q=t}function mo(e){var t=Q;e.__c=e.__(),Q=t}function fo(e,t){return!e||e.length!=
t.length||t.some(function(o,a){return!po(o,e[a])})}function Ea(e,t){return typeof t=="function"?t(e):t}var sl=Symbol.for("preact-signals");function pn(){if(Ae>1)Ae--;else{var e,t=!1;for((function(){var r=cn;for(cn=void 0;r!==void 0;){var i=r.S;if(i.v===r.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===r.i&&(s.i=i.i);r=r.o}})();Rt!==void 0;){var o=Rt;for(Rt=void 0,ln++;o!==void 0;){var a=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&Ca(o))try{o.
c()}catch(r){t||(e=r,t=!0)}o=a}}if(ln=0,Ae--,t)throw e}}function ut(e){if(Ae>0)return e();ho=++ll,Ae++;try{return e()}finally{pn()}}var Mt,U=void 0;function At(e){
var t=U,o=Mt;U=void 0,Mt=void 0;try{return e()}finally{U=t,Mt=o}}var Rt=void 0,Ae=0,ln=0,ll=0,ho=0,cn=void 0,dn=0;function Pa(e){if(U!==void 0){var t=e.n;if(t===
void 0||t.t!==U)return t={i:0,S:e,p:U.s,n:void 0,t:U,e:void 0,x:void 0,r:t},U.s!==void 0&&(U.s.n=t),U.s=t,e.n=t,32&U.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=U.s,t.n=void 0,U.s.n=t,U.s=t),t}}function ne(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}ne.prototype.brand=sl;ne.prototype.h=function(){return!0};ne.prototype.S=function(e){var t=this,o=this.t;o!==e&&
e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:At(function(){var a;(a=t.W)==null||a.call(t)}))};ne.prototype.U=function(e){var t=this;if(this.t!==void 0){var o=e.
e,a=e.x;o!==void 0&&(o.x=a,e.e=void 0),a!==void 0&&(a.e=o,e.x=void 0),e===this.t&&(this.t=a,a===void 0&&At(function(){var r;(r=t.Z)==null||r.call(t)}))}};ne.prototype.
subscribe=function(e){var t=this;return $e(function(){var o=t.value;At(function(){return e(o)})},{name:"sub"})};ne.prototype.valueOf=function(){return this.value};
ne.prototype.toString=function(){return this.value+""};ne.prototype.toJSON=function(){return this.value};ne.prototype.peek=function(){var e=this;return At(function(){
return e.value})};Object.defineProperty(ne.prototype,"value",{get:function(){var e=Pa(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.
v){if(ln>100)throw new Error("Cycle detected");(function(o){Ae!==0&&ln===0&&o.l!==ho&&(o.l=ho,cn={S:o,v:o.v,i:o.i,o:cn})})(this),this.v=e,this.i++,dn++,Ae++;try{
for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{pn()}}}});function E(e,t){return new ne(e,t)}function Ca(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.
S.h()||t.S.i!==t.i)return!0;return!1}function Ta(e){for(var t=e.s;t!==void 0;t=t.n){var o=t.S.n;if(o!==void 0&&(t.r=o),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}
function Ma(e){for(var t=e.s,o=void 0;t!==void 0;){var a=t.p;t.i===-1?(t.S.U(t),a!==void 0&&(a.n=t.n),t.n!==void 0&&(t.n.p=a)):o=t,t.S.n=t.r,t.r!==void 0&&(t.r=
void 0),t=a}e.s=o}function tt(e,t){ne.call(this,void 0,t),this.x=e,this.s=void 0,this.g=dn-1,this.f=4}tt.prototype=new ne;tt.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===dn))return!0;if(this.g=dn,this.f|=1,this.i>0&&!Ca(this))return this.f&=-2,!0;var e=U;try{Ta(this),U=this;
var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return U=e,Ma(this),this.f&=-2,!0};tt.
prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}ne.prototype.S.call(this,e)};tt.prototype.U=function(e){if(this.
t!==void 0&&(ne.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};tt.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(tt.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Pa(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function fe(e,t){return new tt(e,t)}function Ra(e){var t=e.j;if(e.j=void 0,typeof t==
"function"){Ae++;var o=U;U=void 0;try{t()}catch(a){throw e.f&=-2,e.f|=8,go(e),a}finally{U=o,pn()}}}function go(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,
e.s=void 0,Ra(e)}function cl(e){if(U!==this)throw new Error("Out-of-order effect");Ma(this),U=e,this.f&=-2;try{8&this.f&&go(this)}finally{pn()}}function mt(e,t){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,Mt&&Mt.push(this)}mt.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};mt.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,Ra(this),Ta(this),Ae++;var e=U;return U=this,cl.bind(this,e)};mt.prototype.N=function(){2&this.f||(this.f|=2,this.u=Rt,Rt=this)};mt.prototype.d=function(){
this.f|=8,1&this.f||go(this)};mt.prototype.dispose=function(){this.d()};function $e(e,t){var o=new mt(e,t);try{o.c()}catch(r){throw o.d(),r}var a=o.d.bind(o);return a[Symbol.
dispose]=a,a}var Aa,Lt,un,dl=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var $a=[];$e(function(){Aa=this.N})();function ft(e,t){L[e]=t.bind(null,L[e]||function(){})}function $t(e){if(un){var t=un;un=void 0,t()}un=e&&e.S()}function La(e){
var t=this,o=e.data,a=T(o);a.name="ReactiveDom",a.value=o;var r=X(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var u=fe(function(){var p=a.
value.value;return p===0?0:p===!0?"":p||""}),d=fe(function(){return!Array.isArray(u.value)&&!no(u.value)}),f=$e(function(){if(this.N=Ba,d.value){var p=u.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=p)}}),m=t.__$u.d;return t.__$u.d=function(){f(),m.call(this)},[d,u]},[]),i=r[0],s=r[1];return i.value?s.
peek():s.value}La.displayName="ReactiveTextNode";Object.defineProperties(ne.prototype,{constructor:{configurable:!0,value:sa(h,null).constructor},type:{configurable:!0,
value:La},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});ft("__b",function(e,t){if($t(),
Lt=void 0,typeof t.type=="string"){var o,a=t.props;for(var r in a)if(r!=="children"){var i=a[r];i instanceof ne&&(o||(t.__np=o={}),o[r]=i,a[r]=i.peek())}}e(t)});
ft("__r",function(e,t){if(e(t),t.type!==h){$t();var o,a=t.__c;a&&(a.__$f&=-2,(o=a.__$u)===void 0&&(a.__$u=o=(function(r,i){var s;return $e(function(){s=this},{name:i}),
s.c=r,s})((function(r){return function(){var i;dl&&((i=this.y)==null||i.call(this)),r.__$f|=1,r.setState({})}})(a),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Lt=a,$t(o)}});ft("__e",function(e,t,o,a){$t(),Lt=void 0,e(t,o,a)});ft("diffed",function(e,t){$t(),Lt=void 0;var o;if(typeof t.type=="string"&&
(o=t.__e)){var a=t.__np,r=t.props,i=o.U;if(i)for(var s in i){var l=i[s];l===void 0||a&&s in a||(l.d(),i[s]=void 0)}if(a){i||(i={},o.U=i);for(var c in a){var u=i[c],
d=a[c];u===void 0?(u=pl(o,c,d,r),i[c]=u):u.o(d,r)}}}e(t)});function pl(e,t,o,a){var r=t in e&&e.ownerSVGElement===void 0,i=E(o);return{o:function(s,l){i.value=s,
a=l},d:$e(function(){this.N=Ba;var s=i.value.value;a[t]!==s&&(a[t]=s,r?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}ft("unm\
ount",function(e,t){if(typeof t.type=="string"){var o=t.__e;if(o){var a=o.U;if(a){o.U=void 0;for(var r in a){var i=a[r];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var c in s)l[c]=s[c]}t.__np=void 0}else{var u=t.__c;if(u){u.__$f|=8;var d=u.__$u;d&&(u.__$u=void 0,d.d())}}e(t)});ft("__h",function(e,t,o,a){a<3&&(t.__$f|=2),
e(t,o,a)});pt.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var o=this.__$u,a=o&&o.s!==void 0;for(var r in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(a||i||4&this.__$f)||1&this.__$f)return!0}else if(!(a||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function T(e,t){return X(function(){return E(e,t)},[])}function nt(e,t){
var o=B(e);return o.current=e,Lt.__$f|=4,X(function(){return fe(function(){return o.current()},t)},[])}var ul=function(e){queueMicrotask(function(){queueMicrotask(e)})};function ml(){ut(function(){for(var e;e=$a.shift();)Aa.call(e)})}function Ba(){$a.push(this)===1&&(L.requestAnimationFrame||ul)(ml)}var Fa="manyhands-theme",Bt=E(fl());function fl(){try{let e=localStorage.getItem(Fa);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function Na(e){
Bt.value=e;try{localStorage.setItem(Fa,e)}catch{}vo()}function vo(){let e=document.documentElement;Bt.value==="system"?delete e.dataset.theme:e.dataset.theme=Bt.
value,Oa.value+=1}var Oa=E(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{Oa.value+=1});var ht=E(yo(location.hash)),Le=fe(()=>ht.value);addEventListener("hashchange",()=>{ht.value=yo(location.hash)});function yo(e){let t=e.replace(/^#\/?/,""),o=t.indexOf(
"?"),a=(o<0?t:t.slice(0,o)).split("/").filter(Boolean).map(hl),r=Object.create(null);if(o>=0)for(let[i,s]of new URLSearchParams(t.slice(o+1)))s&&(r[i]=s);return{
path:a,choices:r}}function hl(e){try{return decodeURIComponent(e)}catch{return e}}function se(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&o.set(r,String(i));let a=o.toString();return`#/${e.map(encodeURIComponent).join("/")}${a&&`?${a}`}`}function le(e,t={},{replace:o=!1}={}){
let a=se(e,t);a!==location.hash&&(o?history.replaceState(null,"",a):history.pushState(null,"",a),ht.value=yo(a))}function F(e,{replace:t=!0}={}){le(ht.value.path,
{...ht.value.choices,...e},{replace:t})}function P(e,t=""){return ht.value.choices[e]??t}var Be=class extends Error{constructor(o){super(o.detail||o.title);this.problem=o;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},Ia={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function mn(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let o=await e.json();return typeof o=="object"&&o!==null?
{...t,...o}:t}catch{return t}}function ee(e){return e instanceof Be?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var gl="/api/v1",vl=3e4,fn=new Set;function Xa(e){return fn.add(e),()=>fn.delete(e)}function Se(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(
t))i!=null&&i!==""&&o.set(r,String(i));let a=o.toString();return`${gl}${e}${a?`?${a}`:""}`}var R=encodeURIComponent;async function ve(e,t={}){let o={Accept:"app\
lication/json",...t.headers},a;t.text?(o["Content-Type"]=t.text.type,a=t.text.content):t.body!==void 0&&(o["Content-Type"]="application/json",a=JSON.stringify(t.
body));let r=AbortSignal.timeout(vl),i=t.signal?AbortSignal.any([t.signal,r]):r,s;try{s=await fetch(Se(e,t.query),{method:t.method??"GET",headers:o,signal:i,credentials:"\
same-origin",...a===void 0?{}:{body:a}})}catch(l){throw t.signal?.aborted?l:Ja(new Be(Ia))}if(!s.ok&&s.status!==304)throw Ja(new Be(await mn(s)));return fn.forEach(
l=>l(null)),s}async function A(e,t,o){let a={...t?{query:t}:{},...o?{signal:o}:{}};return await(await ve(e,a)).json()}async function V(e,t,o){let a=await ve(t,{
method:e,...o===void 0?{}:{body:o}});return a.status===204?void 0:await a.json()}function Ja(e){return fn.forEach(t=>t(e)),e}var ye=E({kind:"asking"}),Wa=fe(()=>ye.value),bo=["read","submit","operate","approve"],qa={read:"look at everything",submit:"submit work, and change your own",operate:"\
change everybody's work, and phones",approve:"change everybody's work, and phones"};function xo(){return ye.value.kind==="in"?ye.value.status.role:null}function Fe(){
return ye.value.kind==="in"?ye.value.status.owner:""}function pe(e,t){let o=xo();if(o===null)return"Sign in first.";let a=bo.indexOf(o);return a<bo.indexOf(e)?`\
Your role is ${o}. This needs the role ${e}.`:t!==void 0&&t!==Fe()&&a<bo.indexOf("operate")?`This belongs to ${t}. To change the work of others, you need the ro\
le operate.`:null}async function za(){Xa(t=>{t?.needsSignIn&&ye.value.kind==="in"&&(ye.value={kind:"out",problem:t.problem})});let e=yl();if(e!==null)return await wo(
e);try{ye.value={kind:"in",status:await A("/session")}}catch(t){let o=ee(t);ye.value={kind:"out",problem:o.status===401?null:o}}}async function wo(e){try{let t=await ve(
"/session",{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});ye.value={kind:"in",status:await t.json()}}catch(t){ye.value={kind:"out",problem:ee(t)}}}
async function Da(){await V("DELETE","/session"),ye.value={kind:"out",problem:null}}function yl(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);return e===
null?null:(le([],{},{replace:!0}),decodeURIComponent(e[1]??"")||null)}var Ha=E(Date.now()/1e3),bl,be=fe(()=>Ha.value);function Ua(){bl??=setInterval(()=>{document.hidden||(Ha.value=Date.now()/1e3)},1e3)}var xl=Symbol.for("pv"),wl=0;function n(e,t,o,a,r,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var u={type:e,props:c,key:o,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:xl,__v:--wl,__i:-1,__u:0};return(r||i)&&(u.__source=r,u.__self=i),L.vnode&&L.vnode(u),u}var Sl={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function v({name:e,size:t=16,label:o}){return n("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:o?"img":void 0,"aria-label":o,"aria-hidden":o?void 0:"true",focusable:"false",children:n("path",{d:Sl[e]})})}var Va=E([]),hn=fe(()=>{let e=Va.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function So(e){
Va.value=e}var gn=class{#t="";#e=[];#n=null;take(t){let o=[],a=(this.#t+t).split(/\r?\n/);this.#t=a.pop()??"";for(let r of a)this.#a(r,o);return o}#a(t,o){if(t===""){(this.#e.
length>0||this.#n!==null)&&o.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let a=t.indexOf(":");if(a===0)return;let r=a<0?t:t.slice(0,a),i=a<0?"":t.slice(a+1).replace(/^ /,"");r==="data"?this.#e.push(
i):r==="id"&&!i.includes("\0")&&(this.#n=i)}};var kl=500,_l=15e3,El=4e4,ze=class{#t=E("connecting");#e;#n=new AbortController;#a=0;#o=null;#i=null;#r=!1;constructor(t){this.#e=t,addEventListener("online",this.#l),
addEventListener("offline",this.#s),document.addEventListener("visibilitychange",this.#c),this.#p()}get state(){return this.#t}close(){this.#r=!0,this.#t.value=
"closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#s),document.removeEventListener("visibilitychange",this.#c),this.#s(),this.#l()}#s=()=>this.#n.
abort();#l=()=>{this.#i?.()};#c=()=>{document.hidden?this.#s():this.#l()};async#p(){for(;!this.#r;){if(document.hidden){await this.#d(null);continue}try{await this.#u()}catch(o){
o instanceof Be&&o.needsSignIn&&(this.#a=6)}if(this.#r)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.min(_l,kl*2**this.#a++);await this.#d(
t*(.75+Math.random()/2))}}async#u(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#o!==null&&(t["Last-Event-ID"]=this.#o);let o=Se(this.#e.
path,this.#e.query?.()??{}),a=await fetch(o,{headers:t,signal:this.#n.signal,credentials:"same-origin"});if(!a.ok||a.body===null)throw new Be(await mn(a));this.#a=
0,this.#t.value="open",this.#e.onOpen?.();let r=new gn,i=a.body.pipeThrough(new TextDecoderStream).getReader();for(;;){let s=setTimeout(this.#s,El),{done:l,value:c}=await i.
read().finally(()=>clearTimeout(s));if(l)return;for(let u of r.take(c))u.id!==null&&(this.#o=u.id),u.data!==""&&this.#e.onEvent(u)}}#d(t){return new Promise(o=>{
let a=t===null?void 0:setTimeout(o,t);this.#i=()=>{clearTimeout(a),o()}}).then(()=>{this.#i=null})}};var Pl=300,vn=new Set,yn=null,ko=E([]);function ke(e){return vn.add(e),()=>vn.delete(e)}function ja(){return yn??=new ze({path:"/events",onOpen:()=>vn.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>Cl(JSON.parse(e))}),yn}function Ka(){yn?.close(),yn=null,ko.value=[]}function Cl(e){e.kind!=="task.step"&&(ko.value=[e,...ko.value].
slice(0,Pl)),vn.forEach(t=>t.onEvent?.(e))}var Ne=new Map,Ft=E(0),_o=E(!1),bn=null,gt=Ft,xn=_o;function Ga(){return bn??=new ze({path:"/wall",onEvent:({data:e})=>Tl(JSON.parse(e))}),bn}function Ya(){bn?.
close(),bn=null,Ne.clear(),ut(()=>{_o.value=!1,Ft.value++})}function De(){return Ft.value,[...Ne.values()].map(e=>e.peek()).sort((e,t)=>Al(e.serial,t.serial))}function wn(e){
return Ne.get(e)}function Qa(e){let t=Ne.get(e.serial);t!==void 0&&(t.value={...t.peek(),...e},Ft.value++)}function Tl(e){ut(()=>{if(e.is_whole){let t=new Set(e.
phones.map(o=>o.serial));for(let o of Ne.keys())t.has(o)||Ne.delete(o)}for(let t of e.gone)Ne.delete(t);for(let t of e.phones)Ml(t);_o.value=!0,Ft.value++})}function Ml(e){
let t=Ne.get(e.serial);if(t===void 0){Ne.set(e.serial,E(e));return}let o=t.peek(),a=e.thumbnail==null&&o.screen===e.screen;t.value=a?{...e,thumbnail:o.thumbnail??
null}:e}var Rl=new Intl.Collator("en",{numeric:!0});function Al(e,t){return Rl.compare(e,t)}var $l=/\/api\/v1\/episodes\/[^/]+\/screens\//;var Za=new WeakMap;function tr(){return addEventListener("error",er,!0),()=>removeEventListener("error",er,!0)}function er(e){let t=e.target;if(!(t instanceof HTMLImageElement)||
!$l.test(t.src))return;let o=t.src,a=Za.get(t),r=a?.source===o?a.count+1:1;Za.set(t,{source:o,count:r}),!(r>6)&&(e.stopPropagation(),setTimeout(()=>{t.isConnected&&
t.src===o&&(t.src=o)},300*2**(r-1)))}var Ll=1500,Bl=3e3;function nr(){let e=T("nothing"),t=hn.value;return S(()=>{if(t==="lost"&&e.value!=="lost"){let o=setTimeout(()=>e.value="lost",Ll);return()=>clearTimeout(
o)}if(t==="connected"&&e.value==="lost"){e.value="back";let o=setTimeout(()=>e.value="nothing",Bl);return()=>clearTimeout(o)}},[t]),n("div",{class:"connection",
role:"status",children:[e.value==="lost"&&n("p",{class:"connection-lost",children:[n(v,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&n("p",{class:"connection-back",children:[n(v,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function x({icon:e,label:t,kind:o="plain",pressed:a,children:r,class:i,...s}){return n("button",{type:"button",...s,class:`button button-${o}${e&&!r?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":a,children:[e&&n(v,{name:e}),r]})}function or(e){let t=B(null),o=sn();return S(()=>{let a=t.current;return a?.showModal(),()=>a?.close()},[]),n("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":o,onCancel:a=>{a.preventDefault(),e.onClose()},onClick:a=>a.target===t.current&&e.onClose(),children:n("div",{class:"dialog-inside",children:[
n("header",{class:"dialog-head",children:[n("h2",{id:o,children:e.title}),n(x,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),n("div",{class:"di\
alog-body",children:e.children}),e.foot&&n("footer",{class:"dialog-foot",children:e.foot})]})})}var ot=E([]);function vt(e,t){let o=B(t);o.current=t;let a=t.map(r=>`${r.key} ${r.does}`).join(`
`);S(()=>{let r={title:e,keys:o.current.map((i,s)=>({...i,run:()=>o.current[s]?.run()}))};return ot.value=[...ot.value,r],()=>{ot.value=ot.value.filter(i=>i!==r)}},
[e,a])}function Fl(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof HTMLTextAreaElement||
e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||Fl(e.target)||document.
querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof HTMLElement&&e.target.
closest("button, a, summary, input")))for(let o of[...ot.value].reverse()){let a=o.keys.find(r=>r.key===t);if(a){e.preventDefault(),a.run();return}}});var Nl={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function ar(){let[e,t]=_(!1);return vt("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),n(h,{children:[n(x,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&n(or,{title:"Keys",onClose:()=>t(
!1),children:[...ot.value].reverse().map(o=>n("section",{class:"keyhelp",children:[n("h3",{children:o.title}),n("dl",{children:o.keys.map(a=>n("div",{children:[
n("dt",{children:a.key.split("+").map(r=>n("kbd",{children:Nl[r]??r},r))}),n("dd",{children:a.does})]},a.key))})]},o.title))})]})}var Ol=new Intl.NumberFormat("en",{maximumFractionDigits:0}),rr=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),Il=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),Jl=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),ce="\u2013";function k(e){return e==
null?ce:Ol.format(e).replace("-","\u2212")}function he(e){if(e==null||Number.isNaN(e))return ce;let t=Math.abs(e),o=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:o}).replace("-","\u2212")}function O(e){if(e==null||Number.isNaN(e))return ce;if(e<0)return"\u2212"+O(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return Eo(Math.floor(t/60),"min",t%60,"s");let o=Math.round(e/60);if(o<1440)return Eo(Math.floor(o/60),"h",o%60,"min");let a=Math.round(e/3600);
return Eo(Math.floor(a/24),"d",a%24,"h")}function Eo(e,t,o,a){let r=`${e}\xA0${t}`;return o?`${r}\xA0${o}\xA0${a}`:r}function xe(e){if(e==null||Number.isNaN(e))
return ce;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?Xl(t.toFixed(1)):Math.round(t)}\xA0%`}function Xl(e){return e.replace(/\.0$/,"")}function ue(e){if(e==null)
return ce;for(let[t,o]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${he(Number((e/t).toPrecision(3)))}\xA0${o}`;return he(e)}function yt(e){return e==null?ce:rr.format(e*1e3)}function te(e){return e==null?ce:`${Il.format(e*1e3)}, ${rr.format(e*1e3)}`}function ir(e){return Jl.formatToParts(
e*1e3).find(t=>t.type==="timeZoneName")?.value??""}function W(e,t,o=`${t}s`){return`${k(e)}\xA0${e===1?t:o}`}var sr="Manyhands",Wl=1500,ql=3e4,at=E(null),Nt=E(null),Sn=E(""),kn,Po=!1;function lr(){Po=!0;let e=ke({onEvent:o=>{zl(o)&&He()},onOpen:()=>He(0)}),t=$e(()=>{let o=at.
value?.open??0;document.title=`${o>0?`(${o}) `:""}${Sn.value?`${Sn.value} \xB7 `:""}${sr}`});return cr(),()=>{Po=!1,clearTimeout(kn),kn=void 0,e(),t(),at.value=
null,document.title=sr}}function He(e=Wl){clearTimeout(kn),kn=setTimeout(()=>{cr()},e)}async function cr(){try{at.value=await A("/attention"),Nt.value=null}catch(e){
Nt.value=ee(e)}Po&&He(ql)}function zl(e){return e.kind==="task.failed"||e.kind==="task.retried"||/^(phone|model)\./.test(e.kind)}function j(e){let t=T(!1),o=T(null),a=T(null),r=()=>{o.value=null,a.value=null};return{isRunning:t,problem:o,result:a,run:async(...s)=>{if(t.value)return!1;t.value=
!0,r();try{return a.value=await e(...s)??null,!0}catch(l){return o.value=ee(l),!1}finally{t.value=!1}},forget:r}}function C({problem:e,children:t}){return n("div",{class:"note note-bad",role:"alert",children:[n(v,{name:"warning"}),n("div",{class:"note-body",children:[n("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&n("p",{class:"said",children:e.detail}),e.mistakes.length>0&&n("ul",{class:"note-list",
children:e.mistakes.map(o=>n("li",{class:"said",children:o},o))}),t]})]})}function de(e){let t=e.tone??"good";return n("div",{class:`note note-${t}`,role:"statu\
s",children:[n(v,{name:t==="good"?"check":t==="warn"?"warning":"info"}),n("div",{class:"note-body",children:e.children})]})}var Dl=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function dr(){let e=sn(),
t=j(Da),o=xo();return n("div",{class:"person",children:[n("button",{type:"button",class:"person-button",popovertarget:e,children:[n("span",{class:"unseen",children:"\
Signed in as"}),n("span",{class:"person-initial","aria-hidden":"true",children:Fe().slice(0,1).toUpperCase()}),n("span",{class:"person-name",children:[n("span",
{class:"clip",children:Fe()}),n("span",{class:"person-role",children:o})]})]}),n("div",{id:e,class:"person-menu",popover:"auto",children:[n("p",{children:[n("st\
rong",{class:"said",children:Fe()}),n("br",{}),n("span",{class:"quiet",children:["Role ",o,": ",o&&qa[o],"."]})]}),n("fieldset",{class:"person-themes",children:[
n("legend",{children:"Colours"}),Dl.map(a=>n(x,{kind:"quiet",icon:a.icon,label:a.name,pressed:Bt.value===a.theme,onClick:()=>Na(a.theme)},a.theme))]}),n("a",{class:"\
person-link",href:"/docs",children:[n(v,{name:"book"})," All requests of this service"]}),n(x,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign o\
ut"}),t.problem.value&&n(C,{problem:t.problem.value})]})]})}var y={fleet:(e={})=>se(["fleet"],e),phone:(e,t={})=>se(["phones",e],t),work:(e={})=>se(["work"],e),submit:(e={})=>se(["work","submit"],e),schedules:(e={})=>se(
["work","schedules"],e),newSchedule:()=>se(["work","schedules","new"]),batch:(e,t={})=>se(["batches",e],t),task:e=>se(["tasks",e]),episode:(e,t={})=>se(["episod\
es",e],t),attention:(e={})=>se(["attention"],e),health:(e={})=>se(["health"],e)};function pr(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"\
schedules":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var Co=6,Hl=[{href:y.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:y.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:y.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:y.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:y.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:y.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function mr(e,t,o){let a=e.
trim().toLowerCase(),r=Hl.filter(s=>_n(a,s.name,s.about));if(a==="")return o(r);let i=De().filter(s=>_n(a,s.serial,s.labels?.model,s.goal)).slice(0,Co).map(s=>{
let l=s.labels?.model??"";return{href:y.phone(s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});o([...i,...r]);try{let[s,l]=await Promise.all(
[Ul(a,t),Vl(a,t)]);t.aborted||o([...i,...s,...l,...r])}catch{}}function _n(e,...t){return t.some(o=>o?.toLowerCase().includes(e))}async function Ul(e,t){return(await A(
"/batches",{limit:200},t)).items.filter(a=>_n(e,a.id,a.name,a.owner,...a.tags)).slice(0,Co).map(a=>({href:y.batch(a.id),icon:"layers",name:a.name||a.id,about:`${a.
id} \xB7 ${a.owner} \xB7 ${a.phase}`}))}async function Vl(e,t){if(/^b\d+\.[a-z0-9_.-]+$/i.test(e))try{return[ur(await A(`/tasks/${R(e)}`,{},t))]}catch{return[]}
return(await A("/tasks",{phase:"running",limit:500},t)).items.filter(a=>_n(e,a.id,a.goal,a.phone)).slice(0,Co).map(ur)}function ur(e){return{href:y.task(e.id),icon:"\
list",name:e.goal,about:`${e.id} \xB7 ${e.ending??e.phase}`}}var To=E(!1),jl=120,Kl=[{key:"1",does:"Fleet",run:()=>le(["fleet"])},{key:"2",does:"Work",run:()=>le(["work"])},{key:"3",does:"Attention",run:()=>le(["attention"])},
{key:"4",does:"Health",run:()=>le(["health"])},{key:"n",does:"submit a batch",run:()=>le(["work","submit"])}];function Ot(){To.value=!0}function fr(){let e=Le.value.
path[0]==="episodes";return vt("Everywhere",[{key:"/",does:"search",run:Ot},...e?[]:Kl]),S(()=>{let t=o=>{o.key.toLowerCase()!=="k"||!(o.ctrlKey||o.metaKey)||(o.
preventDefault(),Ot())};return addEventListener("keydown",t),()=>removeEventListener("keydown",t)},[]),To.value?n(Gl,{}):null}function Gl(){let e=B(null),t=T(""),
o=T([]),a=T(0);ie(()=>e.current?.showModal(),[]),S(()=>{let l=new AbortController,c=setTimeout(()=>{mr(t.value,l.signal,u=>{o.value=u,a.value=0})},jl);return()=>{
clearTimeout(c),l.abort()}},[t.value]);let r=()=>{To.value=!1},i=l=>{let c=o.value.length;if(l.key==="ArrowDown"&&c>0)a.value=(a.value+1)%c;else if(l.key==="Arr\
owUp"&&c>0)a.value=(a.value+c-1)%c;else if(l.key==="Enter"){let u=o.value[a.value];if(u===void 0)return;location.hash=u.href,r()}else return;l.preventDefault()},
s=o.value[a.value];return n("dialog",{ref:e,class:"palette","aria-label":"Search",onClose:r,onClick:l=>{l.target===e.current&&r()},children:[n("div",{class:"pal\
ette-field",children:[n(v,{name:"search"}),n("input",{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","\
aria-expanded":"true","aria-controls":"palette-found","aria-activedescendant":s?`palette-${a.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"\
off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.value=l.currentTarget.value,onKeyDown:i}),n("kbd",{children:"Esc"})]}),n("ul",{class:"palette-found",
id:"palette-found",role:"listbox","aria-label":"What was found",children:o.value.map((l,c)=>n("li",{id:`palette-${c}`,role:"option","aria-selected":c===a.value,
class:"palette-entry",onPointerMove:()=>a.value=c,onClick:()=>{location.hash=l.href,r()},children:[n(v,{name:l.icon}),n("span",{class:"clip",children:l.name}),n(
"span",{class:"palette-about clip",children:l.about})]},l.href))}),t.value!==""&&o.value.length===0&&n("p",{class:"palette-nothing quiet",children:"Nothing has \
these letters. Batches and tasks are found by name, goal or id."})]})}function En(){return n("span",{class:"wordmark",children:[n("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[n("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),n("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),n("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var Yl=[{section:"fleet",name:"Fleet",icon:"phone",href:y.fleet()},{section:"work",name:"Work",icon:"layers",href:y.work()},{section:"attention",name:"Attention",
icon:"warning",href:y.attention()},{section:"health",name:"Health",icon:"chart",href:y.health()}];function hr(){let e=pr(Le.value.path);return n("header",{class:"\
navigation",children:[n("a",{class:"navigation-home",href:y.fleet(),"aria-label":"Manyhands, the fleet",children:n(En,{})}),n("button",{type:"button",class:"nav\
igation-search",onClick:Ot,children:[n(v,{name:"search"}),n("span",{children:"Search"}),n("kbd",{"aria-hidden":"true",children:"/"})]}),n("nav",{class:"navigati\
on-list","aria-label":"Sections",children:Yl.map(t=>n("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[n(v,{name:t.
icon}),n("span",{class:"navigation-name",children:t.name}),n(Ql,{section:t.section})]},t.section))}),n("div",{class:"navigation-end",children:[n(x,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:Ot}),n(ar,{}),n(dr,{})]})]})}function Ql({section:e}){if(e==="attention"){let o=at.value?.open??0;
return o===0?null:n("span",{class:"navigation-count navigation-count-bad",children:[k(o),n("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")
return null;let t=De();return t.length===0?null:n("span",{class:"navigation-count",children:[k(t.length),n("span",{class:"unseen",children:" phones"})]})}function N(e){return n("div",{class:"empty",children:[e.icon&&n(v,{name:e.icon,size:24}),n("p",{class:"empty-title",children:e.title}),e.children&&n("div",{class:"\
empty-text",children:e.children}),e.action]})}function D(e){return n("header",{class:"page-head",children:[n("div",{class:"page-title",children:[e.crumbs&&n("nav",{class:"crumbs","aria-label":"Where this pa\
ge is",children:e.crumbs.map(t=>n("span",{class:"crumb",children:[n("a",{href:t.href,class:"clip",children:t.name}),n(v,{name:"right",size:12})]},t.href))}),n("\
h1",{class:"said",children:e.title}),e.about&&n("p",{class:"page-about quiet",children:e.about})]}),e.actions&&n("div",{class:"page-actions",children:e.actions})]})}function q(e){return n("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&n(v,{name:e.icon,size:12}),e.children]})}var Zl={A:{tone:"\
good",icon:"check",words:"as expected"},B:{tone:"bad",icon:"cross",words:"wrong page"},C:{tone:"warn",icon:"minus",words:"no change"}};function gr({verdict:e,short:t}){
let o=e?Zl[e]:void 0;return o?n(q,{tone:o.tone,icon:o.icon,title:`${e}: ${o.words}`,children:[t?e:o.words,t&&n("span",{class:"unseen",children:[": ",o.words]})]}):
n(q,{tone:"quiet",children:e||"no verdict"})}function J({needs:e,owner:t,...o}){let a=pe(e,t);return a===null?n(x,{...o}):n(x,{...o,"aria-disabled":"true",disabled:!0,title:a})}function _e({needs:e,owner:t,
what:o}){let a=pe(e,t);return a===null?null:n("p",{class:"role-note quiet",children:[n(v,{name:"info",size:14})," ",n("span",{children:[o,": ",a]})]})}function Ue({since:e}){let t=nt(()=>Mo(be.value-e));return n("span",{class:"num",children:t})}function Ee({at:e}){let t=nt(()=>ec(be.value-e));return n("time",{
dateTime:new Date(e*1e3).toISOString(),title:new Date(e*1e3).toLocaleString("en-GB"),children:t})}function Mo(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:
O(e)}function ec(e){return e<5?"just now":`${rt(e)} ago`}function rt(e){let t=[[86400,"d"],[3600,"h"],[60,"min"]];for(let[o,a]of t)if(e>=o)return`${Math.floor(e/
o)}\xA0${a}`;return`${Math.max(1,Math.floor(e))}\xA0s`}var tc={open:{tone:"accent",icon:"play",words:"open"},paused:{tone:"warn",icon:"pause",words:"paused"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"},ended:{
tone:"good",icon:"check",words:"ended"}};function Pn({phase:e,failed:t}){let o=e==="ended"&&t>0?{tone:"bad",icon:"cross",words:"has failures"}:tc[e];return n(q,
{tone:o.tone,icon:o.icon,children:o.words})}function Ve(e){return e.replaceAll("_"," ")}function nc(e){switch(e.phase){case"waiting":return{tone:"quiet",icon:"c\
lock",words:"waiting"};case"paused":return{tone:"warn",icon:"pause",words:"paused"};case"running":return{tone:"accent",icon:"play",words:"running"};case"ended":
return e.is_done?{tone:"good",icon:"check",words:"done"}:e.ending==="cancelled"?{tone:"quiet",icon:"stop",words:"cancelled"}:{tone:"bad",icon:"cross",words:e.ending===
"finished"?"not as checked":Ve(e.ending??"failed")}}}function Cn({task:e}){let t=nc(e);return n(q,{tone:t.tone,icon:t.icon,children:t.words})}function bt(e){return e.
phase==="ended"&&!e.is_done&&e.ending!=="cancelled"}function vr({cause:e}){let t=T(!1),o=j(async()=>{let l=await V("POST",`/attention/${R(e.id)}:retry`);return He(),`${W(l.length,"task")} submitted again.`}),a=j(
async()=>{await V("POST",`/attention/${R(e.id)}:dismiss`),He(0)}),r=o.isRunning.value||a.isRunning.value,i=o.problem.value??a.problem.value,s=e.episodes[0];return n(
"article",{class:"cause panel",children:[n("header",{class:"cause-head",children:[n("span",{class:"cause-count","aria-label":W(e.count,"task"),children:[k(e.count),
"\xD7"]}),n("div",{class:"cause-words",children:[n("h3",{class:"said",children:e.reason||Ve(e.ending)}),n("p",{class:"cause-about",children:[n(q,{tone:"bad",icon:"\
cross",children:Ve(e.ending)}),e.app&&n("span",{class:"said",children:["in ",e.app]}),e.action&&n("span",{class:"said",children:["at ",e.action]}),n("span",{children:[
"last ",n(Ee,{at:e.last_at})]}),e.count>1&&n("span",{children:["first ",n(Ee,{at:e.first_at})]})]})]}),n("div",{class:"cause-actions",children:[s&&n("a",{class:"\
button button-primary",href:y.episode(s),children:[n(v,{name:"play"})," Open the failure"]}),n(J,{needs:"submit",icon:"retry",disabled:r,onClick:()=>{o.run()},children:e.
count>1?`Retry all ${k(e.count)}`:"Retry"}),n(J,{needs:"submit",kind:"quiet",icon:"check",disabled:r,onClick:()=>{a.run()},children:"Dismiss"})]})]}),i&&n(C,{problem:i}),
o.result.value&&n(de,{children:o.result.value}),e.tasks.length>1&&n(x,{kind:"quiet",icon:t.value?"up":"down","aria-expanded":t.value,onClick:()=>t.value=!t.value,
children:e.tasks.length<e.count?`The last ${e.tasks.length} tasks`:`All ${e.tasks.length} tasks`}),(t.value||e.tasks.length===1)&&n("ul",{class:"cause-tasks",children:e.
tasks.map((l,c)=>{let u=e.episodes[c];return n("li",{children:n("a",{class:"mono",href:u?y.episode(u):y.task(l),children:l})},l)})})]})}var oc=15,ac=42;function yr({percent:e,celsius:t}){if(e===null)return null;let o=t!==null&&t>=ac,a=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${he(t)}\xA0\xB0C`}`;
return n("span",{class:`battery${e<=oc||o?" battery-bad":""}`,title:a,children:[n(v,{name:o?"warning":"bolt",size:11,label:a}),n("span",{"aria-hidden":"true",children:[
Math.round(e),"%"]})]})}var rc=new Set(["capture","perceive","verify","plan","decide","act","note"]);function It(e){let{stages:t,since:o,most:a=4}=e;return n("span",{class:"running-sta\
ges",children:[t.slice(0,a).map((r,i)=>n("span",{class:"running-stage",children:[n("span",{class:`stage-dot stage-${rc.has(r)?r:"other"}`}),n("span",{class:"cli\
p",children:r}),i===0&&o!==null&&n(Ue,{since:o})]},r)),t.length>a&&n("span",{class:"running-stage faint",children:["+",t.length-a]})]})}var Oe={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},br=11;function xr({serial:e,size:t}){let o=wn(e)?.value;return o===void 0?null:
n("a",{class:`tile tile-${t} tile-${o.phase}`,href:y.phone(e),children:[n(sc,{phone:o}),n("div",{class:"tile-body",children:[n("div",{class:"tile-head",children:[
n(lc,{phase:o.phase}),n("span",{class:"tile-serial clip mono",children:t==="s"?ic(e):e}),t!=="s"&&n(yr,{percent:o.battery??null,celsius:o.celsius??null})]}),t===
"s"?n(cc,{phone:o}):n(dc,{phone:o,isLarge:t==="l"})]})]})}function ic(e){return e.length>br?`\u2026${e.slice(1-br)}`:e}function sc({phone:e}){return n("div",{class:"\
tile-screen",children:[e.thumbnail?n("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):n(v,{name:"phone",size:20}),e.taken_over_by&&
n("span",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:n(v,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function lc({
phase:e}){return n("span",{class:`dot dot-${e}`,title:Oe[e],children:n("span",{class:"unseen",children:Oe[e]})})}function cc({phone:e}){return e.phase==="busy"?
n(It,{stages:e.stages??[],since:e.stage_since??null,most:1}):n("span",{class:"tile-line clip",children:Oe[e.phase]})}function dc({phone:e,isLarge:t}){let o=e.labels?.
model;return e.phase!=="busy"?n(h,{children:[n("span",{class:"tile-goal tile-idle",children:Oe[e.phase]}),e.reason&&n("span",{class:"tile-doing said",children:e.
reason}),n("span",{class:"tile-foot clip",children:o})]}):n(h,{children:[n("span",{class:"tile-goal said",children:e.goal||e.task}),n("span",{class:"tile-doing \
said",children:e.subgoal||e.doing}),n(It,{stages:e.stages??[],since:e.stage_since??null,most:t?4:2}),n("span",{class:"tile-foot clip",children:[e.step!=null&&n(
h,{children:["step ",e.step+1," \xB7 "]}),e.owner&&n(h,{children:[e.owner," \xB7 "]}),o]})]})}function wr({phone:e}){let t=j(async()=>{await V("POST",`/phones/${R(e.serial)}:release`),He(0)});return n("li",{class:"away",children:[n(q,{tone:e.phase==="awa\
y"?"bad":"warn",icon:e.phase==="away"?"cross":"pause",children:Oe[e.phase]}),n("a",{class:"away-name mono clip",href:y.phone(e.serial),children:e.serial}),n("sp\
an",{class:"away-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(Ee,{at:e.since})}),e.phase==="aside"&&n(J,{needs:"operate",icon:"\
play",disabled:t.isRunning.value,onClick:()=>{t.run()},children:"Release"}),t.problem.value&&n(C,{problem:t.problem.value})]})}function Sr({model:e}){return n("\
li",{class:"away",children:[n(q,{tone:"bad",icon:"cross",children:"away"}),n("a",{class:"away-name clip",href:y.health(),children:e.what}),n("span",{class:"away\
-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(Ee,{at:e.since})})]})}function kr(){let e=at.value;return n(h,{children:[n(D,{title:"Attention",about:e&&e.open>0?`${W(e.open,"thing")} for a person, the newest first`:void 0}),Nt.value&&
n(C,{problem:Nt.value}),e!==null&&e.causes.length+e.phones.length+e.models.length===0&&n(N,{icon:"check",title:"Nothing needs a person",children:["Failed tasks,\
 phones that get no work and models that do not answer appear here. Meanwhile, the"," ",n("a",{href:y.fleet(),children:"fleet"})," and the ",n("a",{href:y.work(),
children:"queue"})," show what goes on."]}),e!==null&&e.models.length>0&&n("section",{class:"attention-section","aria-labelledby":"models-title",children:[n("h2",
{id:"models-title",children:"Models away"}),n("ul",{class:"attention-list panel",children:e.models.map(t=>n(Sr,{model:t},t.what))})]}),e!==null&&e.causes.length>
0&&n("section",{class:"attention-section","aria-labelledby":"causes-title",children:[n("h2",{id:"causes-title",children:"Failed tasks, by cause"}),e.causes.map(
t=>n(vr,{cause:t},t.id))]}),e!==null&&e.phones.length>0&&n("section",{class:"attention-section","aria-labelledby":"phones-title",children:[n("h2",{id:"phones-ti\
tle",children:"Phones set aside or away"}),n("ul",{class:"attention-list panel",children:e.phones.map(t=>n(wr,{phone:t},t.serial))})]})]})}var pc=1e3,uc=3e3,Ro=class{value=E(null);problem=E(null);settings;#t=new AbortController;#e;#n=!1;#a=!1;#o=-1/0;#i=!1;constructor(t){this.settings=t}reload=()=>this.#r(
0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#i=!1;let t=ke({onEvent:o=>{this.settings.isChangedBy?.(o)&&this.reload()},onOpen:this.reload});
return this.#s(),()=>{t(),this.#i=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#r(t){if(this.#i)return;if(this.#n){this.#a=!0;return}let o=this.#o+(this.
settings.everyMs??pc)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#s()},Math.max(t,o,0)))}async#s(){this.#e=void 0,
this.#n=!0,this.#a=!1,this.#o=performance.now(),this.#t=new AbortController;let t=this.#t,o=this.settings.pollMs;try{let a=await this.settings.load(t.signal);t.
signal.aborted||this.put(a)}catch(a){if(t.signal.aborted)return;let r=ee(a);this.problem.value=r,(r.status===0||r.status===503||r.status===429)&&(o=uc)}finally{
t===this.#t&&(this.#n=!1)}t.signal.aborted||this.#i||(this.#a?this.#r(0):o!==void 0&&this.#r(o))}};function Z(e,t){let o=X(()=>new Ro(e),t),a=B(e);return a.current=
e,o.settings=e,S(()=>o.open(),[o]),o}var mc=1600;function Jt(e){let[t,o]=_("");S(()=>{if(!t)return;let r=setTimeout(()=>o(""),mc);return()=>clearTimeout(r)},[t]);let a=async()=>o(await fc(e.text())?
"copied":"failed");return n(h,{children:[n(x,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{a()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),n("span",{class:"unseen",role:"status",children:t})]})}async function fc(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let o=document.execCommand("copy");return t.remove(),o}}function je({text:e}){return n("div",{class:"copy-line",children:[n("code",{class:"said",children:e}),n(Jt,{text:()=>e,label:"Copy the command"})]})}function Tn(e){let t={value:"",name:"All",count:e.all};return n("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(o=>n("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===o.value,onClick:()=>e.onChoose(o.value),children:[o.name,o.count!==null&&n("span",{class:"chip-count",children:k(
o.count)})]},o.value))})}function xt(e){return n("label",{class:"search-box",children:[n(v,{name:"search"}),n("span",{class:"unseen",children:e.label}),n("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function wt(e){return n("div",{class:"choice-bar",role:"group","aria-label":e.label,children:e.choices.map(t=>n("button",{type:"button",class:"choice-part",title:t.
words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:[t.name,t.words&&n("span",{class:"unseen",children:[": ",t.words]})]},t.value))})}var Er=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function Pr(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let o of e)t[o.phase]++;return t}function Cr(e,t){let o=t.toLowerCase().split(/\s+/).filter(Boolean);return o.
length===0?e:e.filter(a=>{let r=hc(a);return o.every(i=>r.includes(i))})}function hc(e){let t=Object.entries(e.labels??{}).filter(([o])=>!o.startsWith("app:")).
map(([o,a])=>`${o}=${a}`);return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason].join(`
`).toLowerCase()}function Tr(e){let t=new Set;for(let o of e)for(let a of Object.keys(o.labels??{}))!a.startsWith("app:")&&a!=="serial"&&t.add(a);return[...t].sort()}
function Mr(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let o=new Map;for(let a of e){let r=a.labels?.[t]??"",i=o.get(r);i?i.push(a):o.set(r,[a])}
return[...o].sort(([a],[r])=>a===""?1:r===""?-1:a.localeCompare(r,"en",{numeric:!0})).map(([a,r])=>({name:a||`no label ${t}`,phones:r}))}var Mn=12,_r=42,gc={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function Rr(e,t,o){let a=gc[t],r=Math.max(1,Math.floor((o+Mn)/(a.width+Mn))),i=[],s=0;return e.
forEach((l,c)=>{l.name!==""&&(i.push({kind:"header",key:`h${c}`,top:s,height:_r,group:l}),s+=_r);for(let u=0;u<l.phones.length;u+=r){let d=l.phones.slice(u,u+r).
map(f=>f.serial);i.push({kind:"tiles",key:`${c}:${u}`,top:s,height:a.height,serials:d}),s+=a.height+Mn}}),{columns:r,height:Math.max(0,s-Mn),rows:i}}function Ar(e,t,o){
let a=0,r=e.length;for(;a<r;){let s=a+r>>1,l=e[s];l.top+l.height<t?a=s+1:r=s}let i=a;for(;i<e.length&&e[i].top<=o;)i++;return[a,i]}var $r=400;function Lr({groups:e,size:t}){let o=B(null),a=T(0),r=T("0 0"),i=X(()=>Rr(e,t,a.value||1100),[e,t,a.value]),s=()=>{let u=o.current?.getBoundingClientRect().
top??0,[d,f]=Ar(i.rows,-u-$r,innerHeight-u+$r);r.value=`${d} ${f}`};ie(()=>{let u=o.current;if(u===null)return;a.value=u.clientWidth;let d=new ResizeObserver(()=>a.
value=u.clientWidth);return d.observe(u),()=>d.disconnect()},[]),ie(s,[i]),S(()=>{let u=0,d=()=>{u||=requestAnimationFrame(()=>{u=0,s()})};return addEventListener(
"scroll",d,{passive:!0}),addEventListener("resize",d),()=>{removeEventListener("scroll",d),removeEventListener("resize",d),cancelAnimationFrame(u)}},[i]);let[l=0,
c=0]=r.value.split(" ").map(Number);return n("div",{ref:o,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,c).map(u=>n(vc,{row:u,columns:i.
columns,size:t},u.key))})}function vc({row:e,columns:t,size:o}){let a={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?n("h2",
{class:"wall-header",style:a,children:[n("span",{class:"clip",children:e.group.name}),n("span",{class:"faint",children:W(e.group.phones.length,"phone")})]}):n("\
div",{class:"wall-row",style:{...a,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(r=>n(xr,{serial:r,size:o},r))})}var yc=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function Br(){
let e=Z({load:p=>A("/status",{},p),isChangedBy:p=>/^(phone|model)\./.test(p.kind),pollMs:5e3},[]),t=P("phase"),o=P("q"),a=P("group"),r=["s","m","l"].includes(P(
"size"))?P("size"):"m",i=nt(()=>{gt.value;let p=De(),g=Cr(p,P("q")),w=P("phase")?g.filter(b=>b.phase===P("phase")):g;return{all:p.length,counts:Pr(g),found:g.length,
chosen:w.length,labels:Tr(p),groups:Mr(w,P("group"))}}),{all:s,counts:l,found:c,chosen:u,labels:d,groups:f}=i.value,m=e.value.value?.waiting_for??[];return n(h,
{children:[n(D,{title:"Fleet",about:n(bc,{status:e.value.value})}),m.length>0&&n(de,{tone:"warn",children:[n("p",{children:"Tasks wait for:"}),n("ul",{class:"no\
te-list",children:m.map(p=>n("li",{class:"said",children:p},p))})]}),s===0?n(xc,{isReady:xn.value&&(e.value.value?.is_ready??!1)}):n(h,{children:[n("div",{class:"\
toolbar",children:[n(xt,{value:o,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:p=>F({q:p})}),n(Tn,{label:"Phases",chosen:t,all:c,choices:Er.
map(p=>({value:p.phase,name:p.name,count:l[p.phase]})),onChoose:p=>F({phase:p})}),n("div",{class:"toolbar-end",children:[n("label",{class:"toolbar-select",children:[
n("span",{class:"quiet",children:"Group by"}),n("select",{class:"input",value:a,onChange:p=>F({group:p.currentTarget.value}),children:[n("option",{value:"",children:"\
nothing"}),d.map(p=>n("option",{value:p,children:p},p))]})]}),n(wt,{label:"Size",value:r,choices:yc,onChoose:p=>F({size:p==="m"?"":p})})]})]}),u===0?n(N,{icon:"\
search",title:"No phone is chosen by these filters",children:n("button",{type:"button",class:"link-button",onClick:()=>F({q:"",phase:""}),children:["Show all ",
k(s)," phones"]})}):n(Lr,{groups:f,size:r})]})]})}function bc({status:e}){return e===null?null:n(h,{children:[k(e.running)," running \xB7 ",k(e.waiting)," waiti\
ng \xB7 ",k(e.ended)," ended"]})}function xc({isReady:e}){return e?n(N,{icon:"phone",title:"The fleet has no phones",action:n(je,{text:"manyhands attach SERIAL"}),
children:["Attach a phone that adb lists, or start the service with phones, such as ",n("code",{children:"--phones virtual:2"})," for two virtual ones. It appea\
rs here at once."]}):n(N,{icon:"clock",title:"The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This pa\
ge shows them as they come."})}function Fr(e){let t="",o=!1;for(let a of e)t+=a?`${o?"L":"M"}${a[0].toFixed(1)} ${a[1].toFixed(1)}`:"",o=a!==null;return t}function Nr(e){if(!(e>0))return[0,1];
let t=e/3,o=10**Math.floor(Math.log10(t)),a=o*([1,2,2.5,5,10].find(i=>i*o>=t)??10),r=Math.ceil(e/a-1e-9);return Array.from({length:r+1},(i,s)=>Number((s*a).toPrecision(
12)))}var it=52,Or=20;function Ir(e){let{series:t,height:o=140,formatValue:a,formatAt:r}=e,i=B(null),[s,l]=_(400),[c,u]=_(null);ie(()=>{let M=new ResizeObserver(([K])=>K&&
l(Math.max(160,K.contentRect.width)));return i.current&&M.observe(i.current),()=>M.disconnect()},[]);let d=[...new Set(t.flatMap(M=>M.points.map(([K])=>K)))].sort(
(M,K)=>M-K),f=d[0]??0,m=d.at(-1)??1,p=Nr(Math.max(0,...t.flatMap(M=>M.points.map(([,K])=>K??0)))),g=p.at(-1)||1,w=M=>it+(M-f)/(m-f||1)*(s-it-4),b=M=>6+(1-M/g)*(o-
Or-10),I=M=>{let K=f+(M-it)/(s-it-4)*(m-f),me=0;d.forEach((Me,Qt)=>{Math.abs(Me-K)<Math.abs((d[me]??0)-K)&&(me=Qt)}),u(d.length?me:null)},$=M=>{let K=M.key==="A\
rrowRight"?1:M.key==="ArrowLeft"?-1:0;!K||!d.length||(M.preventDefault(),M.stopPropagation(),u(Math.min(d.length-1,Math.max(0,(c??d.length)+K))))},z=c===null?void 0:
d[c],H=z??d.at(-1);return n("figure",{class:"plot",ref:i,children:[n("figcaption",{class:"plot-legend",children:[t.map(M=>{let K=M.points.find(([me])=>me===H)?.[1];
return n("span",{children:[n("i",{style:{background:`var(${M.colour})`}}),M.name," ",n("b",{children:K==null?ce:a(K)})]},M.name)}),z!==void 0&&n("span",{class:"\
faint plot-at",children:r(z)})]}),n("svg",{width:s,height:o,role:"img","aria-label":e.label,tabIndex:0,onPointerMove:M=>I(M.offsetX),onPointerLeave:()=>u(null),
onKeyDown:$,onBlur:()=>u(null),children:[p.map(M=>n("g",{children:[n("line",{class:"plot-grid",x1:it,x2:s-4,y1:b(M),y2:b(M)}),n("text",{class:"plot-tick",x:it-8,
y:b(M)+4,"text-anchor":"end",children:a(M)})]},M)),d.length>1&&n(h,{children:[n("text",{class:"plot-tick",x:it,y:o-4,children:r(f)}),n("text",{class:"plot-tick",
x:s-4,y:o-4,"text-anchor":"end",children:r(m)})]}),t.map(M=>n("path",{class:"plot-line",style:{stroke:`var(${M.colour})`},d:Fr(M.points.map(([K,me])=>me===null?
null:[w(K),b(me)]))},M.name)),z!==void 0&&n("line",{class:"plot-cursor",x1:w(z),x2:w(z),y1:4,y2:o-Or})]})]})}function Pe({facts:e}){return n("dl",{class:"facts",children:e.filter(([,t])=>t!=null&&t!==""&&t!==!1).map(([t,o])=>n("div",{class:"fact",children:[n("dt",{children:t}),
n("dd",{children:o})]},t))})}var Jr=["--accent","--stage-perceive","--stage-act","--stage-verify","--stage-note","--quiet-fill"];function Rn(e,t,o,a){return[...new Set(e.flatMap(i=>t(i).map(
o)))].sort().map((i,s)=>({name:i,colour:Jr[s%Jr.length]??"--accent",points:e.map(l=>[l.at,wc(t(l).filter(c=>o(c)===i).map(a))])}))}function wc(e){let t=e.filter(
o=>o!==null);return t.length===0?null:t.reduce((o,a)=>o+a,0)}function Ce(e,t,o,a="--accent"){return{name:e,colour:a,points:t.map(r=>[r.at,o(r)])}}var Xr=e=>e.input_tokens_per_min+
e.output_tokens_per_min;function Wr(e){return Rn(e,t=>t.roles,t=>t.role,Xr)}function qr(e){return Rn(e,t=>t.roles,t=>An(t.server),Xr)}function zr(e){return Ce("\
of input tokens",e,t=>{let o=t.roles.filter(r=>r.cached_share!==null&&r.input_tokens_per_min>0),a=o.reduce((r,i)=>r+i.input_tokens_per_min,0);return a===0?null:
o.reduce((r,i)=>r+i.input_tokens_per_min*(i.cached_share??0),0)/a})}function Dr(e){return Rn(e,t=>t.roles.filter(o=>o.latency_ms!==null),t=>t.role,t=>t.latency_ms)}
function Hr(e){return Rn(e,t=>t.roles,t=>t.role,t=>t.errors_per_min)}function Ur(e){let t=(o,a)=>o.models.reduce((r,i)=>r+i[a],0);return[Ce("in flight",e,o=>t(o,
"in_flight")),Ce("waiting",e,o=>t(o,"waiting"),"--stage-act")]}function Vr(e){return[Ce("reading",e,t=>t.perception?.reading??null,"--stage-perceive"),Ce("waiti\
ng",e,t=>t.perception?.waiting??null,"--stage-act"),Ce("workers",e,t=>t.perception?.workers??null,"--quiet-fill")]}function An(e){return e.replace(/^https?:\/\//,
"").replace(/\/v1\/?$/,"")||"no server"}var jr=new Set(["up","healthy","closed","ok","ready"]);function Kr({servers:e}){return e.length===0?null:n("section",{class:"health-section",children:[n("h2",{children:"\
Servers"}),n("div",{class:"health-scroll panel",tabIndex:0,role:"region","aria-label":"Servers",children:n("table",{class:"health-table",children:[n("thead",{children:n(
"tr",{children:[n("th",{scope:"col",children:"Server"}),n("th",{scope:"col",children:"State"}),n("th",{scope:"col",class:"num",children:"In flight"}),n("th",{scope:"\
col",class:"num",children:"Running there"}),n("th",{scope:"col",class:"num",children:"Waiting there"}),n("th",{scope:"col",class:"num",children:"Its cache is fu\
ll"})]})}),n("tbody",{children:e.map(t=>n("tr",{children:[n("td",{class:"mono said",children:An(t.server)}),n("td",{children:n(q,{tone:jr.has(t.state)?"good":"w\
arn",icon:jr.has(t.state)?"check":"warning",children:t.state})}),n("td",{class:"num",children:k(t.in_flight)}),n("td",{class:"num",children:k(t.running)}),n("td",
{class:"num",children:k(t.waiting)}),n("td",{class:"num",children:xe(t.cache_usage)})]},t.server))})]})})]})}function Gr({newest:e}){let t=Z({load:o=>A("/models",
{},o),pollMs:1e4},[]);return n("section",{class:"health-section",children:[n("h2",{children:"Models"}),t.problem.value&&n(C,{problem:t.problem.value}),t.value.value?.
length===0&&n("p",{class:"quiet",children:"No model yet: the fleet is being opened."}),t.value.value&&t.value.value.length>0&&n("div",{class:"health-scroll pane\
l",tabIndex:0,role:"region","aria-label":"Models",children:n("table",{class:"health-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"col",children:"\
Role"}),n("th",{scope:"col",children:"Model"}),n("th",{scope:"col",children:"Servers"}),n("th",{scope:"col",class:"num",children:"Calls"}),n("th",{scope:"col",class:"\
num",children:"Failed"}),n("th",{scope:"col",class:"num",children:"In flight, of at most"})]})}),n("tbody",{children:t.value.value.map(o=>{let a=e?.models.find(
r=>r.role===o.role);return n("tr",{children:[n("td",{children:o.role}),n("td",{class:"said",children:o.model}),n("td",{class:"mono said",children:o.servers.map(
An).join(", ")}),n("td",{class:"num",children:k(o.calls??0)}),n("td",{class:"num",children:k(o.failures??0)}),n("td",{class:"num",children:a?`${k(a.in_flight)} \
/ ${a.cap==null?ce:k(a.cap)}`:ce})]},o.role)})})]})})]})}var Sc=3600;async function kc(e,t){let o=e?.points.at(-1)?.at,a=await A("/figures",{after:o},t),r=a.points.at(-1)?.at??o??0,i=(e?.points??[]).filter(s=>s.at>r-Sc&&
s.at<(a.points[0]?.at??1/0));return{...a,points:[...i,...a.points]}}function Yr(){let e=B(null),t=Z({load:async r=>e.current=await kc(e.current,r),pollMs:1e4,everyMs:5e3},
[]),o=Z({load:r=>A("/status",{},r),pollMs:1e4},[]),a=t.value.value?.points??[];return n(h,{children:[n(D,{title:"Health",about:"What the fleet does and costs, o\
ver the last hour"}),t.problem.value&&n(C,{problem:t.problem.value}),o.value.value&&n(_c,{status:o.value.value,newest:a.at(-1)??null}),t.value.value!==null&&a.length<
2?n(N,{icon:"chart",title:"The first figures come within some seconds",children:["The service keeps one point every ",O(t.value.value.every_s),", for an hour."]}):
n(Ec,{points:a}),a.length>0&&n(Kr,{servers:a.at(-1)?.servers??[]}),n(Gr,{newest:a.at(-1)??null})]})}function _c({status:e,newest:t}){return n(Pe,{facts:[["Steps\
 a minute",t&&he(t.steps_per_min)],["Running",k(e.running)],["Waiting",k(e.waiting)],["Ended",k(e.ended)],["Phones",k(e.phones)],["Started",te(e.started_at)],["\
Version",e.version]]})}function Ec({points:e}){if(e.length<2)return null;let t=[Ce("running",e,a=>a.episodes),Ce("waiting",e,a=>a.waiting,"--quiet-fill")],o=a=>O(
a/1e3);return n("div",{class:"plots",children:[n(Ie,{title:"Steps a minute",series:[Ce("all phones",e,a=>a.steps_per_min)],format:he}),n(Ie,{title:"Tokens a min\
ute, by role",series:Wr(e),format:ue}),n(Ie,{title:"Tokens a minute, by server",series:qr(e),format:ue}),n(Ie,{title:"Input tokens that were cached",series:[zr(
e)],format:xe}),n(Ie,{title:"Model calls",series:Ur(e),format:he}),n(Ie,{title:"Latency of a call, by role",series:Dr(e),format:o}),n(Ie,{title:"Failed calls a \
minute, by role",series:Hr(e),format:he}),n(Ie,{title:"Perception",series:Vr(e),format:he}),n(Ie,{title:"Tasks",series:t,format:he})]})}function Ie(e){return n(
"section",{class:"plot-card panel",children:[n("h2",{children:e.title}),n(Ir,{label:`${e.title}, the last hour`,series:e.series,formatValue:e.format,formatAt:yt,
height:132})]})}var st={A:"as expected",B:"a wrong page",C:"nothing changed"},Pc={finished:"the agent said that the task is done",impossible:"the agent said that the goal canno\
t be reached",step_limit:"the limit of steps was reached",answer_invalid:"the agent's answer is missing or does not fit what the task asks for",failure_limit:"t\
oo many actions in a row did not do what was expected",repeat_limit:"the same action failed too often in a row",time_limit:"the time limit was reached",unusable_reply:"\
the model's reply could not be used",phone_lost:"the phone was lost",lease_lost:"another holder took the phone",model_failed:"the model failed",perception_failed:"\
the screen could not be read",host_lost:"the process that ran the episode died",no_phone:"no phone was left to run it on",no_model:"no model server answered for\
 too long",cancelled:"it was cancelled",internal_error:"a defect of the program ended it",unfinished:"its journal has no end, because the run was interrupted"},
Ao="unfinished";function Qr(e){return Pc[e]??e.replaceAll("_"," ")}function Zr(e){return e.replaceAll("_"," ")}var Cc={plan:"planner",decide:"operator",reflect:"\
reflector",note:"notetaker",caption:"captioner",permit:"verifier",recall:"retriever",learn_tips:"tips learner",learn_shortcuts:"shortcuts learner",judge:"judge"};
function St(e){return Cc[e]??e.replaceAll("_"," ")}var Tc={Back:"Back",Home:"Home",Enter:"Enter",Switch_App:"App switcher",Wait:"Wait",Stop:"Stop"};function ei(e){
let t=e.action_kind,o=Tc[t];return o?t==="Wait"?we(e):o:t==="Open_App"||t==="Open_Link"||t==="Answer"?we(e):e.touches.length||e.typed_text||!t?"":we(e)}function ti(e){
return Math.hypot(e.x2-e.x1,e.y2-e.y1)>12}function we(e){if(!e.action)return"no action";let t=e.action.indexOf(" "),o=t<0?e.action:e.action.slice(0,t);return o.
replaceAll("_"," ")+e.action.slice(o.length)}function ae(e){return e.episode.ended_at!=null||e.episode.ending!=null}function ni(e){return ae(e)?e:{...e,episode:{
...e.episode,ending:Ao}}}var oi=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;function ai(e,t){if(e===t)return t?[{kind:"\
same",text:t}]:[];let o=e.match(oi)??[],a=t.match(oi)??[],r=0;for(;r<o.length&&r<a.length&&o[r]===a[r];)r+=1;let i=0;for(;i<o.length-r&&i<a.length-r&&o.at(-1-i)===
a.at(-1-i);)i+=1;let s=[{kind:"same",text:a.slice(0,r).join("")}];return s.push(...Mc(o.slice(r,o.length-i),a.slice(r,a.length-i))),s.push({kind:"same",text:a.slice(
a.length-i).join("")}),Ac(s)}function Mc(e,t){let o=[{kind:"gone",text:e.join("")},{kind:"new",text:t.join("")}];if(!e.length||!t.length||e.length>600||t.length>
600)return o;let a=Rc(e,t),r=t.length+1,i=[],s=0,l=0;for(;s<e.length||l<t.length;)s<e.length&&l<t.length&&e[s]===t[l]?(i.push({kind:"same",text:t[l]}),s+=1,l+=1):
l>=t.length||s<e.length&&Xt(a,(s+1)*r+l)>=Xt(a,s*r+l+1)?(i.push({kind:"gone",text:e[s]}),s+=1):(i.push({kind:"new",text:t[l]}),l+=1);return i}function Rc(e,t){let o=t.
length+1,a=new Uint16Array((e.length+1)*o);for(let r=e.length-1;r>=0;r-=1)for(let i=t.length-1;i>=0;i-=1)a[r*o+i]=e[r]===t[i]?Xt(a,(r+1)*o+i+1)+1:Math.max(Xt(a,
(r+1)*o+i),Xt(a,r*o+i+1));return a}function Xt(e,t){return e[t]??0}function Ac(e){let t=[],o="",a="",r=()=>{o&&t.push({kind:"gone",text:o}),a&&t.push({kind:"new",
text:a}),o=a=""};return e.forEach((i,s)=>{if(i.text)if(i.kind==="gone")o+=i.text;else if(i.kind==="new")a+=i.text;else if(!i.text.trim()&&o&&a&&e[s+1]&&e[s+1]?.
kind!=="same")o+=i.text,a+=i.text;else{r();let l=t.at(-1);l?.kind==="same"?l.text+=i.text:t.push({kind:"same",text:i.text})}}),r(),t}function Wt(e){let{label:t,text:o,before:a}=e;return o?a!==void 0&&o===a?n("details",{class:"field field-folded",children:[n("summary",{children:[n("span",{class:"\
field-label",children:t}),n("span",{class:"field-hint",children:"as before"}),n("span",{class:"field-peek clip",children:o})]}),n(oe,{children:o})]}):n(qt,{label:t,
hint:a===void 0?void 0:a?"changed":"new",children:n(oe,{children:a?n($c,{before:a,after:o}):o})}):null}function qt(e){return n("section",{class:"field",children:[
n("h2",{class:"field-label",children:[e.label,e.hint&&n("span",{class:"field-hint field-hint-new",children:e.hint})]}),e.children]})}function $c({before:e,after:t}){
let o=X(()=>ai(e,t),[e,t]);return n(h,{children:o.map((a,r)=>a.kind==="same"?n("span",{children:a.text},r):a.kind==="new"?n("ins",{children:a.text},r):n("del",{
children:a.text},r))})}function oe({children:e,class:t=""}){let o=B(null),[a,r]=_(!1),[i,s]=_(!1);return ie(()=>{let l=o.current;!l||i||r(l.scrollHeight>l.clientHeight+
4)}),n(h,{children:[n("div",{ref:o,class:`long-text said ${i?"":"long-text-cut"} ${t}`,dir:"auto",children:e}),(a||i)&&n("button",{type:"button",class:"long-tex\
t-more","aria-expanded":i,onClick:()=>s(!i),children:i?"Show less":"Show all"})]})}function $n(e){let{ending:t,verified:o,unmet:a}=e.episode;return ae(e)?t==="cancelled"?"cancelled":o===!0&&!e.unexpected_changes.length?"done":o===!1||e.unexpected_changes.
length||t!=="finished"?"failed":a?.length?"undecided":"done":"running"}function ri(e){let t=$n(e);return t!=="failed"&&t!=="undecided"?null:{headline:Lc(e,t),lines:Bc(
e)}}function Lc(e,t){let{ending:o,verified:a,unmet:r}=e.episode,i=Qr(o??"");if(t==="undecided")return"Nobody could tell whether the task is done: its check was \
not answered.";if(String(o)===Ao)return`Nobody knows whether the task was done: ${i}.`;if(o==="finished")return a===!1?"The agent said that the task is done, bu\
t the task's check does not hold.":"The agent said that the task is done, but it also changed what it must not change.";let s=r?.length&&o!=="step_limit"?" The \
task's check does not hold.":"";return`The episode ended before the task was done: ${i}.${s}`}function Bc(e){let{reason:t,unmet:o,ending:a}=e.episode,r=[],i=lt(
e),s=i===null?void 0:e.steps[i],l=s&&Lo(s)[0];if(s&&i!==null&&l&&!t?.includes(l.text)){r.push({label:`Step ${s.step}`,text:`${we(s)}: ${l.text}`,step:s.step});let c=Oc(
e,i);c.length&&r.push({label:"Again at",text:`step${c.length===1?"":"s"} ${c.join(", ")}`})}a!=="finished"&&t&&r.push({label:"Reason",text:t});for(let c of o??[])
r.push({label:"Expected",text:c.expected},{label:"Found",text:c.found});for(let c of e.judged)c.verdict!=="yes"&&r.push({label:`Judge: ${c.verdict??"no answer"}`,
text:c.reason});for(let c of e.unexpected_changes)r.push({label:"Not allowed",text:Fc(c)});return r}function Fc(e){return e.before==null?`${e.path}: added ${e.after??
""}`:e.after==null?`${e.path}: removed ${e.before}`:`${e.path}: ${e.before} became ${e.after}`}function lt(e){let t=$n(e),{steps:o}=e;if(t!=="failed"&&t!=="unde\
cided"||!o.length)return null;let a=Nc(o),r=o.findIndex((s,l)=>l>a&&$o(s));if(r>=0)return r;let i=o.findLastIndex(s=>Ic(s,e));return i>=0?i:o.length-1}function Nc(e){
let t=-1,o=!1,a=new Set;return e.forEach((r,i)=>{let s=o&&(r.action_kind==="Back"||r.action_kind==="Home");ii(r)&&!s&&!a.has(r.action)?(t=i,o=!1):$o(r)&&(o=!0),
a.add(r.action)}),t}function Oc(e,t){let o=e.steps[t]?.action;return o?e.steps.slice(t+1).filter(a=>a.action===o&&$o(a)).map(a=>a.step):[]}function Ic(e,t){return e.
typed_text.split(`
`).map(a=>a.trim()).filter(Boolean).some(a=>(t.episode.unmet??[]).some(r=>r.expected.includes(a)&&!r.found.includes(a)))}function Ln(e,t=e.steps.length){let o=e.
steps.slice(0,t).findLastIndex(ii);return o<0?null:o}function ii(e){return e.outcome==="A"&&!e.problem}function $o(e){return e.outcome==="B"||e.outcome==="C"||!!e.
problem||e.failures.length>0}function Lo(e){let t=[],o=new Set,a=(r,i,s)=>{s&&[...o].some(l=>l.includes(s))||(o.add(s),t.push({tone:r,title:i,text:s}))};for(let r of e.
failures)a("bad","A stage gave no result",r);if(e.problem&&a("bad",e.action?"The action was not carried out":"There is no action",e.problem),e.outcome==="B"||e.
outcome==="C"){let r=`After the action: ${st[e.outcome]}`;o.has(e.error)||a(e.outcome==="B"?"bad":"warn",r,e.error)}if(e.wrong_page!=null){let r=e.went_back===!1?
"Going back did not lead to the page from before.":"The agent went back.";a("warn","The action led to a wrong page",r)}for(let r of e.findings)r.is_problem&&a("\
warn",`A problem of the stage ${r.stage}`,r.text);for(let r of e.calls)r.error&&a("bad",`A call of the ${St(r.role)} failed`,r.error);for(let r of e.resumed)a("\
quiet","The episode was interrupted before this step and resumed",r);return t}var ct=["side","slider","one"],kt=["step","screen","timing","calls","log"],zt={step:"Step",screen:"Screen",timing:"Timing",calls:"Model calls",log:"Log"};function li(e){
let{steps:t}=e,o=P("step"),a=o===""?-1:Jc(t,Number(o)),r=a<0&&!ae(e),i=a>=0?a:r?t.length-1:lt(e)??0,s=t[i];return s?{index:i,step:s,previous:t[i-1],next:t[i+1],
count:t.length,isFollowing:r,view:si(ct,P("view"),"side"),face:P("face")==="after"?"after":"before",tab:si(kt,P("tab"),"step"),boxes:P("boxes")==="1",changes:P(
"changes")!=="0"}:null}function Jc(e,t){if(!Number.isInteger(t))return-1;let o=0,a=e.length-1;for(;o<a;){let r=Math.ceil((o+a)/2);e[r].step<=t?o=r:a=r-1}return e.
length?o:-1}function si(e,t,o){return e.find(a=>a===t)??o}function Te(e,t){let o=e.steps[Math.min(Math.max(t,0),e.steps.length-1)];o&&F({step:o.step})}function Bn(e){
return se(Le.value.path,{...Le.value.choices,step:e})}function Fn(){F({step:null})}function Nn(e){F({tab:e==="step"?null:e})}function On(e){F({view:e==="side"?null:
e})}function ci(e){F({view:"one",face:e==="before"?null:e})}function _t(e){F({boxes:e?1:null})}function In(e){F({changes:e?null:0})}function di({report:e}){let t=ri(e);return t?n("section",{class:"failure","aria-label":"Why it failed",children:[n("h2",{class:"failure-head",children:[n(v,{name:"\
warning"}),t.headline]}),n("dl",{class:"failure-lines",children:t.lines.map((o,a)=>n("div",{class:"failure-line",children:[n("dt",{children:o.step===void 0?o.label:
n("a",{href:Bn(o.step),children:o.label})}),n("dd",{children:n(oe,{class:"failure-text",children:o.text})})]},a))})]}):null}var pi=[.5,1,2,4,8],Xc=1400;function ui(e,t){let[o,a]=_(!1),[r,i]=_(1),s=t?.index??0,l=e.steps.length-1;return S(()=>{if(!o)return;if(s>=l){a(!1);return}let u=setTimeout(
()=>Te(e,s+1),Xc/r);return()=>clearTimeout(u)},[o,r,s,l]),{isPlaying:o,speed:r,toggle:()=>{!o&&s>=l&&Te(e,0),a(!o&&l>0)},setSpeed:i}}function mi({report:e,film:t,player:o}){let a=lt(e),r=a===null?null:Ln(e,a),i=s=>Te(e,s);return n("div",{class:"controls",role:"group","aria-label":"Film",children:[
n("div",{class:"controls-play",children:[n(x,{icon:"first",kind:"quiet",label:"First step (Home)",disabled:t.index===0,onClick:()=>i(0)}),n(x,{icon:"left",kind:"\
quiet",label:"Step before (\u2190)",disabled:t.index===0,onClick:()=>i(t.index-1)}),n(x,{icon:o.isPlaying?"pause":"play",kind:"primary",label:o.isPlaying?"Pause\
 (Space)":"Play (Space)",onClick:o.toggle}),n(x,{icon:"right",kind:"quiet",label:"Next step (\u2192)",disabled:t.index>=t.count-1,onClick:()=>i(t.index+1)}),n(x,
{icon:"last",kind:"quiet",label:"Last step (End)",disabled:t.index>=t.count-1,onClick:()=>i(t.count-1)}),n("select",{class:"controls-speed","aria-label":"Speed",
value:String(o.speed),onChange:s=>o.setSpeed(Number(s.currentTarget.value)),children:pi.map(s=>n("option",{value:String(s),children:[s,"\xD7"]},s))})]}),n(qc,{report:e,
film:t}),n("span",{class:"controls-count",children:["Step ",n("strong",{children:k(t.step.step)}),n("span",{class:"faint",children:[" of ",k(t.count)]})]}),n("d\
iv",{class:"controls-jumps",children:[a!==null&&n(x,{title:"To the failure (F)",onClick:()=>i(a),disabled:a===t.index,children:[n(v,{name:"warning"})," To the f\
ailure"]}),r!==null&&n(x,{title:"To the last action that was as expected (G)",onClick:()=>i(r),disabled:r===t.index,children:[n(v,{name:"check"})," Last good st\
ep"]}),!ae(e)&&n(x,{pressed:t.isFollowing,title:"Follow the newest step (L)",onClick:Fn,children:[n("span",{class:`live-dot${t.isFollowing?" live-dot-on":""}`}),
" Follow"]})]})]})}var Wc={A:5,B:16,C:11,none:3};function qc({report:e,film:t}){let{steps:o}=e,a=Math.max(1,o.length);return n("div",{class:"line",style:{maxWidth:`${o.
length*48}px`},children:[n("svg",{class:"line-verdicts",viewBox:`0 0 ${a} 16`,preserveAspectRatio:"none","aria-hidden":"true",children:[["A","B","C","none"].map(
r=>n("path",{class:`line-${r}`,d:zc(o,r)},r)),n("rect",{class:"line-now",x:t.index,width:1,y:0,height:16})]}),n("input",{class:"line-input",type:"range",min:0,max:Math.
max(0,o.length-1),value:t.index,"aria-label":"Step","aria-valuetext":`Step ${t.step.step} of ${o.length}`,onInput:r=>Te(e,Number(r.currentTarget.value))})]})}function zc(e,t){
let o=e.length>300?0:.12,a=Wc[t],r="";return e.forEach((i,s)=>{(i.outcome??"none")===t&&(r+=`M${s+o} 16h${1-2*o}v-${a}h-${1-2*o}z`)}),r}var Dc={running:{tone:"accent",icon:"play",words:"running"},done:{tone:"good",icon:"check",words:"done"},failed:{tone:"bad",icon:"cross",words:"failed"},undecided:{
tone:"warn",icon:"info",words:"undecided"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"}};function fi({report:e,tools:t}){let{episode:o}=e,a=Dc[$n(e)];
return n("header",{class:"film-head",children:[n("div",{class:"film-title",children:[n(q,{tone:a.tone,icon:a.icon,children:a.words}),n("h1",{children:n(oe,{class:"\
film-goal",children:o.goal})}),t&&n("div",{class:"film-tools",children:t})]}),n(Hc,{report:e}),o.answer!=null&&n("p",{class:"film-answer",children:[n("span",{class:"\
quiet",children:"Answer"}),n("span",{class:"said",children:o.answer})]}),n(Vc,{report:e})]})}function Hc({report:e}){let{episode:t,steps:o}=e,a=i=>o.reduce((s,l)=>s+
l[i],0),r=t.ended_at==null?null:t.ended_at-t.started_at;return n("dl",{class:"film-facts",children:[n(re,{name:"Task",children:[n("bdi",{children:t.task}),t.attempt>
1&&`, attempt ${t.attempt}`]}),t.ending&&n(re,{name:"Ending",children:Zr(t.ending)}),t.verified!=null&&n(re,{name:"Check",children:[t.verified?"holds":"does not\
 hold",t.verified_by==="judge"&&", by a judge"]}),t.phone&&n(re,{name:"Phone",children:n("bdi",{children:t.phone})}),n(re,{name:"Steps",children:[k(t.steps),e.max_steps!=
null&&` of at most ${e.max_steps}`]}),r!==null&&n(re,{name:"Time",children:O(r)}),n(re,{name:"Model",children:[W(a("model_calls"),"call"),", ",ue(a("input_token\
s"))," tokens in,"," ",ue(a("output_tokens"))," out"]}),n(re,{name:"Began",children:[te(t.started_at)," ",ir(t.started_at)]}),(t.resumed??0)>0&&n(re,{name:"Resu\
med",children:W(t.resumed??0,"time")}),(t.damaged??0)>0&&n(re,{name:"Journal",children:[W(t.damaged??0,"place")," cannot be read"]})]})}function re({name:e,children:t}){
return n("div",{class:"film-fact",children:[n("dt",{children:e}),n("dd",{class:"said",children:t})]})}var Uc={given:"given",added:"taught",changed:"changed",removed:"\
removed"};function Vc({report:e}){let{episode:t}=e;return n("details",{class:"film-details",children:[n("summary",{children:[n(v,{name:"right",size:12})," More \
about this episode"]}),n("dl",{class:"film-facts",children:[n(re,{name:"Episode",children:n("bdi",{class:"mono",children:t.id})}),e.batch&&n(re,{name:"Batch",children:e.
batch}),n(re,{name:"Profile",children:t.profile}),e.schedule&&n(re,{name:"Schedule",children:e.schedule}),e.apps.length>0&&n(re,{name:"Apps",children:e.apps.join(
", ")}),e.tags.length>0&&n(re,{name:"Tags",children:e.tags.join(", ")})]}),t.answer_data!=null&&n("pre",{class:"said film-data",children:JSON.stringify(t.answer_data,
null,2)}),e.judged.map((o,a)=>n("p",{class:"film-judged",children:[n(q,{tone:o.verdict==="yes"?"good":o.verdict==="no"?"bad":"warn",children:["judge: ",o.verdict??
"no answer"]})," ",n("span",{class:"said",children:o.statement})," ",n("span",{class:"said quiet",children:o.reason})]},a)),e.lesson_problem&&n("p",{class:"said",
children:["Nothing was learned: ",e.lesson_problem]}),e.lessons.length>0&&n("ul",{class:"film-lessons",children:e.lessons.map((o,a)=>n("li",{children:[n(q,{tone:o.
way==="given"?"quiet":"accent",children:[o.kind,", ",Uc[o.way]]}),n(oe,{children:o.text||o.id})]},a))})]})}function hi(e,t,o){vt("Film",t?jc(e,t,o):[])}function jc(e,t,o){let a=l=>()=>{l!==null&&Te(e,l)},r=lt(e),i=[{key:"ArrowRight",does:"next step",run:a(t.index+1)},
{key:"ArrowLeft",does:"step before",run:a(t.index-1)},{key:"Home",does:"first step",run:a(0)},{key:"End",does:"last step",run:a(t.count-1)},{key:" ",does:"play \
or pause",run:o.toggle},{key:"f",does:"to the failure",run:a(r)},{key:"g",does:"to the last action that was as expected",run:a(Ln(e,r??t.count))},{key:"l",does:"\
follow the newest step",run:()=>!ae(e)&&Fn()},{key:"c",does:"flip between before and after",run:()=>ci(t.view==="one"&&t.face==="before"?"after":"before")},{key:"\
v",does:"side by side, slider, one screen",run:()=>On(ct[(ct.indexOf(t.view)+1)%ct.length]??"side")},{key:"b",does:"boxes of what was read",run:()=>_t(!t.boxes)},
{key:"d",does:"mark what changed",run:()=>In(!t.changes)}],s=kt.map((l,c)=>({key:String(c+1),does:`show ${zt[l].toLowerCase()}`,run:()=>Nn(l)}));return[...i,...s]}function gi(e){let{tabs:t,current:o,onChange:a}=e,r=i=>{let s=t.findIndex(u=>u.id===o),l={ArrowRight:s+1,ArrowLeft:s-1,Home:0,End:t.length-1}[i.key],c=l===void 0?
void 0:t[(l+t.length)%t.length];c&&(i.preventDefault(),i.stopPropagation(),a(c.id),i.currentTarget.querySelector(`[data-tab="${CSS.escape(c.id)}"]`)?.focus())};
return n("div",{class:"tabs",role:"tablist","aria-label":e.label,onKeyDown:r,children:t.map(i=>n("button",{type:"button",class:"tab",role:"tab","data-tab":i.id,
"aria-selected":i.id===o,"aria-controls":i.id===o?e.panel:void 0,tabIndex:i.id===o?0:-1,onClick:()=>a(i.id),children:[i.title,i.count!==void 0&&n("span",{class:"\
tab-count",children:k(i.count)})]},i.id))})}var Jn="manyhands:",Kc=/^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;function yi(e){return vi(e.messages).flatMap(t=>{let{role:o,content:a}=Bo(t),r=typeof o==
"string"?o:"message";return typeof a=="string"?xi(r,a):vi(a).flatMap(i=>Gc(r,Bo(i)))})}function bi(e){return Object.entries(e).filter(([t])=>t!=="messages").map(
([t,o])=>[t,typeof o=="string"?o:JSON.stringify(o,null,2)??""])}function Gc(e,t){let o=Yc(t);return o?[{title:"Picture",role:e,text:"",picture:o}]:typeof t.text==
"string"?xi(e,t.text):[{title:String(t.type??"part"),role:e,text:JSON.stringify(t,null,2),picture:""}]}function Yc(e){let t=Bo(e.image_url).url;return typeof t==
"string"&&t.startsWith(Jn)?t.slice(Jn.length):""}function xi(e,t){let o=[],a="",r=[],i=()=>{let s=r.join(`
`).trim();(a||s)&&o.push({title:a||"Opening",role:e,text:s,picture:""}),r=[]};for(let s of t.split(`
`)){let l=Kc.exec(s);l?(i(),a=(l[1]??l[2]??"").trim()):r.push(s)}return i(),o}function vi(e){return Array.isArray(e)?e:[]}function Bo(e){return typeof e=="objec\
t"&&e!==null?e:{}}function wi(e){try{let t=JSON.parse(e);return typeof t!="object"||t===null||Array.isArray(t)?null:Object.entries(t).map(([o,a])=>[o,typeof a==
"string"?a:JSON.stringify(a,null,2)])}catch{return null}}var ki=/^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;function _i(e,t){let o=Qc(JSON.stringify(t)),a=["# The key of the server, if it \
asks for one: export MANYHANDS_API_KEY=..."];o.length>1&&a.push("# The folder with the run's screens:",'SCREENS="${SCREENS:-screens}"');for(let r of o){let i=ki.
exec(r.picture)?.[2];i&&a.push(`# ${r.picture}.png is made from a screen (${i.split("-")[0]??""}): save it from the page.`)}a.push("{");for(let r of o)r.picture&&
a.push(`  base64 < "$SCREENS/${Zc(r.picture)}" | tr -d '\\n'`),a.push(`  printf %s ${Si(r.text)}`);return a.push("} | curl --silent --show-error \\","  -H 'Cont\
ent-Type: application/json' \\",'  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',`  --data-binary @- ${Si(ed(e))}`),`${a.join(`
`)}
`}function Qc(e){let[t="",...o]=e.split(`"url":"${Jn}`),a=[{picture:"",text:t}];for(let r of o){let i=r.indexOf('"'),s=a.pop();a.push({picture:s.picture,text:`${s.
text}"url":"data:image/png;base64,`}),a.push({picture:r.slice(0,i),text:r.slice(i)})}return a}function Zc(e){return`${ki.test(e)?e:"picture"}.png`}function ed(e){
let t=[...e].map(o=>o<" "||o==="\x7F"?"":o).join("");return/\/(chat\/)?completions$/.test(t)?t:`${t.replace(/\/+$/,"")}/chat/completions`}function Si(e){return`\
'${e.replaceAll("'","'\\''")}'`}var td=/^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;function Ei({picture:e,source:t}){let o=td.exec(e),a=o?.[1]??
e,r=t.pictureUrl(a,"full"),i=o?.slice(2).map(Number)??[],s=o?.[2]!==void 0;return n("figure",{class:"prompt-picture",children:[r?s?n(nd,{url:r,numbers:i}):n("a",
{href:r,target:"_blank",rel:"noreferrer",title:"Open the picture",children:n("img",{src:r,alt:"Screen shown to the model",loading:"lazy",decoding:"async"})}):n(
"p",{class:"quiet",children:"This report was made without screens."}),n("figcaption",{class:"faint",children:[s?"A part of a screen":o?"A screen, half as wide":
"A screen"," ",n("span",{class:"mono said",children:e.slice(0,8)})]})]})}function nd({url:e,numbers:t}){let[o=0,a=0,r=1,i=1,s=0,l=0,c=1,u=1,d=0]=t,f=Math.max(1,
r-o),m=Math.max(1,i-a);return n("svg",{class:"prompt-crop",viewBox:`${o} ${a} ${f} ${m}`,role:"img","aria-label":`Part ${d} of a screen, shown to the model`,children:[
n("image",{href:e,x:0,y:0}),n("rect",{x:s,y:l,width:c-s,height:u-l,class:"prompt-crop-box"}),n("text",{x:s+4,y:l+26,class:"prompt-crop-number",children:d})]})}var od=700;function Pi(e){let{call:t,content:o,source:a}=e,r=X(()=>yi(o.request),[o]),i=X(()=>bi(o.request),[o]),[s,l]=_(null);return n(h,{children:[n("section",
{"aria-label":"Reply",children:[n("div",{class:"call-part-head",children:[n("h2",{children:"Reply"}),o.reply!=null&&n(Jt,{label:"Copy the reply",text:()=>o.reply??
"",children:"Copy"})]}),o.reply==null?n("p",{class:"quiet",children:"The model gave no reply."}):n(ad,{reply:o.reply})]}),n("section",{"aria-label":"Prompt",children:[
n("div",{class:"call-part-head",children:[n("h2",{children:"Prompt"}),n(x,{kind:"quiet",onClick:()=>l(s!==!0),children:s===!0?"Fold long ones":"Open all"}),n(Jt,
{label:"Copy as curl",kind:"plain",text:()=>_i(t.server,o.request),children:"Copy as curl"})]}),r.length?n("ol",{class:"prompt",children:r.map((c,u)=>n(rd,{section:c,
source:a,isOpen:s??c.text.length<=od,isNewRole:r[u-1]?.role!==c.role},`${u} ${String(s)}`))}):n("p",{class:"quiet",children:"The request was not recorded."}),i.
length>0&&n("details",{class:"prompt-section",children:[n("summary",{children:"Settings of the request"}),n("dl",{class:"prompt-settings",children:i.map(([c,u])=>n(
"div",{children:[n("dt",{class:"mono",children:c}),n("dd",{class:"mono said",children:u})]},c))})]})]})]})}function ad({reply:e}){let t=wi(e);return t?.length?n(
"dl",{class:"call-reply",tabIndex:0,"aria-label":"Parts of the reply",children:t.map(([o,a])=>n("div",{class:"call-reply-part",children:[n("dt",{class:"mono sai\
d",children:o}),n("dd",{class:"said",dir:"auto",children:a})]},o))}):n("pre",{class:"said call-reply",dir:"auto",tabIndex:0,role:"group","aria-label":"Text of t\
he reply",children:e})}function rd(e){let{section:t}=e;return n("li",{children:[e.isNewRole&&n("span",{class:"prompt-role",children:t.role}),t.picture?n(Ei,{picture:t.
picture,source:e.source}):n("details",{class:"prompt-section",open:e.isOpen,children:[n("summary",{children:[n("bdi",{class:"clip",children:t.title}),n("span",{
class:"faint",children:[ue(t.text.length)," letters"]})]}),n("div",{class:"prompt-text said",dir:"auto",tabIndex:0,role:"group","aria-label":t.title,children:t.
text})]})]})}function Ci({film:e,source:t}){let{step:o}=e,[a,r]=_(null),[i,s]=_(0),l=o.calls.length;if(S(()=>{if(!l)return;let d=!0;return t.loadCalls(o.step).then(f=>d&&r({
step:o.step,calls:f,error:""}),f=>d&&r({step:o.step,calls:null,error:String(f instanceof Error?f.message:f)})),()=>{d=!1}},[o.step,l,t,i]),!l)return n(N,{icon:"\
bolt",title:"No model was asked",children:"This step made no call of a model."});let c=a?.step===o.step?a:null,u=P("call");return n("div",{class:"calls",children:[
c?.error&&n("p",{class:"calls-error",role:"alert",children:["The texts of the calls could not be loaded: ",n("span",{class:"said",children:c.error})," ",n(x,{icon:"\
retry",onClick:()=>s(i+1),children:"Try again"})]}),n("ol",{class:"call-list",children:o.calls.map(d=>n(id,{call:d,loaded:c,source:t,isOpen:u===String(d.number)||
u===""&&l===1},d.number))})]})}function id(e){let{call:t,isOpen:o}=e,a=e.loaded?.calls?.calls.find(r=>r.number===t.number);return n("li",{class:`call${t.is_dropped?
" call-dropped":""}`,children:[n("button",{type:"button",class:"call-head","aria-expanded":o,onClick:()=>F({call:o?"none":t.number}),children:[n(v,{name:o?"down":
"right",size:12}),n("span",{class:"call-role",children:St(t.role)}),n("span",{class:"call-marks",children:[t.is_repair&&n(q,{tone:"warn",title:"The model was as\
ked again because its answer was invalid.",children:"repair"}),t.is_dropped&&n(q,{title:"Its result was not used.",children:"dropped"}),t.attempts>1&&n(q,{tone:"\
warn",children:["sent ",t.attempts," times"]}),t.error&&n(q,{tone:"bad",icon:"warning",children:"failed"})]}),n("span",{class:"call-numbers",children:[n(Xn,{name:"\
in",value:ue(t.input_tokens)}),n(Xn,{name:"cached",value:xe(t.input_tokens?t.cached_tokens/t.input_tokens:null)}),n(Xn,{name:"out",value:ue(t.output_tokens)}),n(
Xn,{name:"took",value:O(t.latency_ms/1e3)})]})]}),t.error&&n(oe,{class:"call-error",children:t.error}),o&&n("div",{class:"call-body",children:[n("p",{class:"cal\
l-where faint",children:[n("bdi",{class:"clip mono",title:t.model,children:t.model||"model unknown"}),n("span",{children:"at"}),n("bdi",{class:"clip mono",title:t.
server,children:t.server}),t.queue_ms>=1&&`after ${O(t.queue_ms/1e3)} in our queue`]}),a?n(Pi,{call:t,content:a,source:e.source}):n("p",{class:"quiet",children:e.
loaded?"The request was not recorded.":"Loading\u2026"})]})]})}function Xn({name:e,value:t}){return n("span",{class:"call-number",children:[n("span",{class:"fai\
nt",children:e})," ",t]})}var sd=/^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/,ld=/^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
function Mi(e,t){let o=[];for(let a of e.split(`
`)){let r=a.replace(/\r$/,"");r&&o.push(cd(r,t,o.at(-1)?.at??null))}return o}function cd(e,t,o){let a=sd.exec(e);if(a)return{at:Number(a[1]),level:a[2]??"",tag:a[3]??
"",text:a[4]??""};let r=ld.exec(e);if(!r)return{at:o,level:"",tag:"",text:e};let[,i,s,l,c,u,d,f="",m="",p=""]=r;return{at:new Date(Number(i??new Date(t*1e3).getFullYear()),
Number(s)-1,Number(l),Number(c)).getTime()/1e3+Number(u)*60+Number(d),level:f,tag:m,text:p}}function Ri(e,t,o){return e.filter(a=>a.at!==null&&a.at>=t&&(o===null||
a.at<o))}var Ti="VDIWEF";function Ai(e,t,o){let a=Math.max(0,Ti.indexOf(t)),r=o.trim().toLowerCase();return e.filter(i=>i.level&&Ti.indexOf(i.level==="A"?"F":i.
level)<a?!1:!r||i.tag.toLowerCase().includes(r)||i.text.toLowerCase().includes(r))}var dd=500,pd=600,ud=[["V","all levels"],["I","info and worse"],["W","warnings and worse"],["E","errors"]];function $i(e){let{report:t,film:o,source:a}=e,[r,i]=_(
null),[s,l]=_(dd),c=t.has_log?a.loadLog:void 0;S(()=>{if(!c)return;let g=!0;return c().then(w=>g&&i(Mi(w,t.episode.started_at)),w=>g&&i(String(w instanceof Error?
w.message:w))),()=>{g=!1}},[c,t.steps.length]);let u=P("find"),d=P("level","V"),[f,m]=md(o.step,o.next),p=X(()=>Array.isArray(r)&&f!==null?Ai(Ri(r,f,m),d,u):[],
[r,f,m,d,u]);return c?typeof r=="string"?n(N,{icon:"warning",title:"The log could not be loaded",children:n("span",{class:"said",children:r})}):n("div",{class:"\
log",children:[n("div",{class:"log-head",children:[n("input",{class:"field-input",type:"search",placeholder:"Find in tags and texts","aria-label":"Find in the l\
og",value:u,onInput:g=>F({find:g.currentTarget.value})}),n("select",{class:"field-input","aria-label":"Level",value:d,onChange:g=>F({level:g.currentTarget.value===
"V"?null:g.currentTarget.value}),children:ud.map(([g,w])=>n("option",{value:g,children:w},g))}),n("span",{class:"faint",role:"status",children:r?W(p.length,"lin\
e"):"Loading\u2026"})]}),r&&!p.length&&n("p",{class:"quiet log-none",children:u||d!=="V"?"No line of this step fits.":"The phone wrote nothing during this step."}),
n("ol",{class:"log-lines",tabIndex:0,"aria-label":"Log lines of this step",children:p.slice(0,s).map((g,w)=>n("li",{class:`log-line log-${g.level||"none"}`,children:[
n("span",{class:"num faint",children:g.at===null||f===null?"":`+${(g.at-f).toFixed(3)}`}),n("span",{class:"log-level",children:g.level}),n("bdi",{class:"log-tag\
 clip",title:g.tag,children:g.tag}),g.text.length>pd?n("div",{children:n(oe,{children:g.text})}):n("span",{class:"said",children:g.text})]},w))}),p.length>s&&n(
x,{onClick:()=>l(s+2e3),children:["Show more of ",k(p.length)]})]}):n(N,{icon:"list",title:"No log was recorded",children:["Run with ",n("code",{children:"--log\
cat"})," to keep the phone's log beside the steps."]})}function md(e,t){let o=i=>[...i.stages.map(s=>s.start),i.taken_at??1/0],a=Math.min(...o(e)),r=t?Math.min(
...o(t)):1/0;return[Number.isFinite(a)?a:null,Number.isFinite(r)?r:null]}var Je=E(null);function Fo({elements:e,all:t}){let o=Je.value,a=t?[...e].sort((r,i)=>Li(i)-Li(r)):e.filter(r=>r===o);return n("g",{class:"boxes",children:a.map(
(r,i)=>n("rect",{class:`box box-${r.kind}${r===o?" box-pointed":""}`,x:r.x1,y:r.y1,width:Math.max(1,r.x2-r.x1),height:Math.max(1,r.y2-r.y1),rx:6,onPointerEnter:()=>Je.
value=r,onPointerLeave:()=>Je.value=null},i))})}function Li(e){return(e.x2-e.x1)*(e.y2-e.y1)}function No(e){let t=Je.value;if(!t||!e.elements.includes(t))return null;
let[o,a]=e.size,r=t.y2>a*.8;return n("div",{class:"box-hint",style:{left:`${Math.min(70,100*t.x1/o)}%`,top:r?"auto":`${100*t.y2/a}%`,bottom:r?`${100-100*t.y1/a}\
%`:"auto"},children:[n("span",{class:"faint",children:t.kind})," ",n("bdi",{children:Oo(t)})]})}function Oo(e){return e.content||"(no name)"}function Ni(e,t){let o=e.naturalWidth,a=e.naturalHeight;if(!o||!a||t.naturalWidth!==o||t.naturalHeight!==a)return null;let r=Math.min(180,o),i=Math.max(1,Math.round(
a*r/o)),s=Bi(e,r,i),l=s&&Bi(t,r,i);if(!s||!l)return null;let c=Math.ceil(r/4),u=Math.ceil(i/4),d=new Uint8Array(c*u);for(let g=0;g<i;g+=1)for(let w=0;w<r;w+=1){
let b=4*(g*r+w);fd(s,l,b)&&(d[Math.floor(g/4)*c+Math.floor(w/4)]=1)}let f=o/r*4,m=d.reduce((g,w)=>g+w,0),p=hd(d,c,u).map(g=>({x1:Math.round(g.x1*f),y1:Math.round(
g.y1*f),x2:Math.min(o,Math.round(g.x2*f)),y2:Math.min(a,Math.round(g.y2*f))}));return{places:Ii(p,0),share:m/d.length,by:"pixels"}}function fd(e,t,o){for(let a=0;a<
3;a+=1)if(Math.abs((e[o+a]??0)-(t[o+a]??0))>24)return!0;return!1}function Bi(e,t,o){let a=document.createElement("canvas");a.width=t,a.height=o;let r=a.getContext(
"2d",{willReadFrequently:!0});if(!r)return null;try{return r.drawImage(e,0,0,t,o),r.getImageData(0,0,t,o).data}catch{return null}}function hd(e,t,o){let a=new Uint8Array(
e.length),r=[];for(let i=0;i<e.length;i+=1){if(!e[i]||a[i])continue;let s={x1:t,y1:o,x2:0,y2:0},l=[i];for(a[i]=1;l.length;){let c=l.pop(),u=c%t,d=Math.floor(c/t);
s.x1=Math.min(s.x1,u),s.y1=Math.min(s.y1,d),s.x2=Math.max(s.x2,u+1),s.y2=Math.max(s.y2,d+1);for(let f=Math.max(0,d-2);f<=Math.min(o-1,d+2);f+=1)for(let m=Math.max(
0,u-2);m<=Math.min(t-1,u+2);m+=1){let p=f*t+m;e[p]&&!a[p]&&(a[p]=1,l.push(p))}}r.push(s)}return r}var Fi=12;function Oi(e,t,o){let a=[...Dt(e,t),...Dt(t,e)],r=a.
reduce((i,s)=>i+(s.x2-s.x1)*(s.y2-s.y1),0);return{places:Ii(a,o[0]*gd),share:Math.min(1,r/Math.max(1,o[0]*o[1])),by:"elements"}}var gd=.05;function Ii(e,t){let o=[
...e];for(let a=-1;a!==o.length;){a=o.length;let r=[];for(let i of o){let s=r.findIndex(c=>vd(c,i,t)),l=r[s];l?r[s]=yd(l,i):r.push(i)}o=r}return o}function vd(e,t,o){
return e.x1-o<t.x2&&t.x1-o<e.x2&&e.y1-o<t.y2&&t.y1-o<e.y2}function yd(e,t){return{x1:Math.min(e.x1,t.x1),y1:Math.min(e.y1,t.y1),x2:Math.max(e.x2,t.x2),y2:Math.max(
e.y2,t.y2)}}function Dt(e,t){let o=new Map;for(let a of t){let r=`${a.kind}:${a.content}`,i=o.get(r);i?i.push(a):o.set(r,[a])}return e.filter(a=>!o.get(`${a.kind}\
:${a.content}`)?.some(r=>bd(a,r)))}function bd(e,t){return Math.abs(e.x1-t.x1)<=Fi&&Math.abs(e.y1-t.y1)<=Fi}var xd=400;function Xi({film:e}){let{step:t,next:o}=e,[a,r]=_(""),[i,s]=_(!1);if(!t.elements.length)return n(N,{icon:"screen",title:"Nothing was read",children:"\
Perception read no text and no icon at this step."});let l=a.trim().toLowerCase(),c=l?t.elements.filter(d=>d.content.toLowerCase().includes(l)):t.elements,u=i?c:
c.slice(0,xd);return n("div",{class:"screen-panel",children:[o&&o.screen===t.screen_after&&o.screen!==t.screen&&n(Sd,{before:t.elements,after:o.elements}),n("di\
v",{class:"screen-panel-head",children:[n("h2",{children:[W(t.elements.length,"element")," read before the action"]}),n(x,{icon:"layers",pressed:e.boxes,title:"\
Boxes on the screen (B)",onClick:()=>_t(!e.boxes),children:"Boxes"}),n("input",{class:"field-input",type:"search",placeholder:"Find a text","aria-label":"Find a\
 text on the screen",value:a,onInput:d=>r(d.currentTarget.value)})]}),n("ol",{class:"element-list",onPointerLeave:()=>Je.value=null,children:u.map((d,f)=>n(wd,{
one:d,number:t.elements.indexOf(d)+1},f))}),!c.length&&n("p",{class:"quiet",children:"No element has this text."}),u.length<c.length&&n(x,{onClick:()=>s(!0),children:[
"Show all ",c.length]})]})}function wd({one:e,number:t}){let o=()=>{Je.value=e};return n("li",{children:n("button",{type:"button",class:`element-line${Je.value===
e?" element-pointed":""}`,onPointerEnter:o,onFocus:o,onBlur:()=>Je.value=null,onClick:o,children:[n("span",{class:"num faint",children:t}),n("span",{class:`elem\
ent-kind element-${e.kind}`,children:e.kind}),n("bdi",{class:"element-text",children:Oo(e)}),n("span",{class:"num faint element-place",children:[e.x1,", ",e.y1,
" \u2013 ",e.x2,", ",e.y2]})]})})}function Sd(e){let t=r=>[...new Set(r.map(i=>i.content).filter(Boolean))],o=t(Dt(e.before,e.after)),a=t(Dt(e.after,e.before));
return!o.length&&!a.length?null:n("section",{class:"come-gone","aria-label":"What the action changed",children:[n(Ji,{icon:"plus",title:"Came",texts:a,kind:"com\
e"}),n(Ji,{icon:"minus",title:"Went",texts:o,kind:"gone"})]})}var Io=24;function Ji(e){let{texts:t}=e;return t.length?n("div",{children:[n("h2",{class:"come-gon\
e-title",children:[n(v,{name:e.icon,size:12})," ",e.title]}),n("ul",{class:"come-gone-texts",children:[t.slice(0,Io).map(o=>n("li",{class:`come-gone-text come-g\
one-${e.kind}`,title:o,children:n("bdi",{children:o})},o)),t.length>Io&&n("li",{class:"faint",children:["and ",t.length-Io," more"]})]})]}):null}function Wi(e,t){let o=["settle",...t,...e.map(a=>a.stage)];return[...new Set(o)].map(a=>({stage:a,bars:e.filter(r=>r.stage===a)})).filter(a=>a.bars.length>0)}function qi(e,t){
let o=Math.min(...e.map(c=>c.start)),a=Math.max(...e.map(c=>c.end)),r=Math.max(a-o,.001),i=t/r,s=kd(r/Math.max(2,Math.floor(t/90))),l=[];for(let c=0;c*s<=r;c+=1)
l.push({at:c*s,x:c*s*i});return{start:o,seconds:r,worked:e.reduce((c,u)=>c+u.end-u.start,0),perSecond:i,ticks:l,place:c=>(c-o)*i}}function kd(e){let t=10**Math.
floor(Math.log10(e));return([1,2,5,10].find(o=>o*t>=e)??10)*t}function Jo(e){let t=[`${e.stage}: ${O(e.end-e.start)}`];e.queue_ms>=1&&t.push(`of these ${O(e.queue_ms/
1e3)} in queues`);for(let[o,a]of e.away)t.push(`${O(a-o)} without a model server`);return e.assumed.length&&t.push(`began on an assumption about ${e.assumed.join(
" and ")}`),e.became==="dropped"&&t.push(`dropped${e.wrong?`, because ${e.wrong} did not end as assumed`:""}`),e.became==="discarded"&&t.push("discarded by an i\
nterruption"),e.became==="failed"&&t.push(`failed${e.error?`: ${e.error}`:""}`),t.join("; ")}var Ht=30,dt=18,Ut=22,Ke=76,_d=12,zi=10;function Di(e){let{step:t}=e.film,o=B(null),[a,r]=_(640),[i,s]=_(null);if(S(()=>{let d=o.current;if(!d)return;let f=new ResizeObserver(
()=>r(d.clientWidth));return f.observe(d),()=>f.disconnect()},[t.stages.length>0]),S(()=>s(null),[t.step]),!t.stages.length)return n(N,{icon:"clock",title:"No s\
tage has ended yet",children:"The times of a step are known once its stages have run."});let l=Wi(t.stages,e.report.stage_order),c=qi(t.stages,Math.max(120,a-Ke-
_d)),u=Ut+l.length*Ht+6;return n("div",{class:"gantt",ref:o,children:[n("p",{class:"gantt-sum",children:[n("strong",{children:O(c.seconds)})," from the first st\
age to the last one; together the stages worked"," ",n("strong",{children:O(c.worked)}),c.worked>c.seconds*1.02&&", so some ran beside each other","."]}),n("svg",
{class:"gantt-plot",width:a,height:u,role:"group","aria-label":"Stages of the step over time",children:[n(Pd,{}),c.ticks.map(d=>n("g",{class:"gantt-tick","aria-\
hidden":"true",children:[n("line",{x1:Ke+d.x,x2:Ke+d.x,y1:Ut-4,y2:u}),n("text",{x:Ke+d.x,y:Ut-9,"text-anchor":d.x<10?"start":"middle",children:O(d.at)})]},d.at)),
l.map((d,f)=>n("g",{children:[n("text",{class:"gantt-name",x:Ke-10,y:Ut+f*Ht+Ht/2+4,"text-anchor":"end","aria-hidden":"true",children:d.stage.length>zi?`${d.stage.
slice(0,zi-1)}\u2026`:d.stage}),d.bars.map((m,p)=>n(Ed,{bar:m,x:Ke+c.place(m.start),end:Ke+c.place(m.end),y:Ut+f*Ht+(Ht-dt)/2,perMs:c.perSecond/1e3,place:g=>Ke+
c.place(g),isPointed:m===i,onPoint:s},p))]},d.stage))]}),n("p",{class:"gantt-said",role:"status",children:i?Jo(i):"Point at a bar, or move to it by Tab, to read\
 its numbers."}),n(Cd,{bars:t.stages}),n(Td,{bars:t.stages,start:c.start,pointed:i,onPoint:s})]})}function Ed(e){let{bar:t,x:o,y:a}=e,r=Math.max(3,e.end-o),i=Math.
min(r,t.queue_ms*e.perMs);return n("g",{class:`bar bar-${t.became} bar-stage-${t.stage}${t.assumed.length?" bar-assumed":""}${e.isPointed?" bar-pointed":""}`,tabIndex:0,
role:"img","aria-label":Jo(t),onFocus:()=>e.onPoint(t),onPointerEnter:()=>e.onPoint(t),children:[n("rect",{class:"bar-room",x:o-2,y:a-4,width:r+4,height:dt+8}),
n("rect",{class:"bar-body",x:o,y:a,width:r,height:dt,rx:3}),i>1&&n("rect",{class:"bar-queue",x:o,y:a,width:i,height:dt,rx:3}),t.away.map(([s,l],c)=>n("rect",{class:"\
bar-away",x:e.place(s),y:a,width:Math.max(2,e.place(l)-e.place(s)),height:dt},c)),t.became==="dropped"&&n("line",{class:"bar-strike",x1:o,x2:o+r,y1:a+dt/2,y2:a+
dt/2})]})}function Pd(){return n("defs",{children:[n("pattern",{id:"gantt-queue",width:"6",height:"6",patternUnits:"userSpaceOnUse",patternTransform:"rotate(45)",
children:n("rect",{width:"3",height:"6",class:"pattern-queue"})}),n("pattern",{id:"gantt-away",width:"5",height:"5",patternUnits:"userSpaceOnUse",children:n("pa\
th",{d:"M0 0L5 5M5 0L0 5",class:"pattern-away"})})]})}function Cd({bars:e}){let t=[e.some(o=>o.queue_ms>1)&&{kind:"queue",text:"waited in a queue"},e.some(o=>o.
assumed.length)&&{kind:"assumed",text:"began on an assumption"},e.some(o=>o.became==="dropped")&&{kind:"dropped",text:"dropped: the assumption was wrong"},e.some(
o=>o.became==="discarded")&&{kind:"dropped",text:"discarded by an interruption"},e.some(o=>o.became==="failed")&&{kind:"failed",text:"failed"},e.some(o=>o.away.
length)&&{kind:"away",text:"no model server answered"}].filter(o=>o!==!1);return t.length?n("ul",{class:"gantt-legend","aria-label":"Legend",children:t.map(o=>n(
"li",{children:[n("svg",{width:"22",height:"12","aria-hidden":"true",children:n("g",{class:`bar bar-legend-${o.kind} ${o.kind==="queue"||o.kind==="away"?"":`bar\
-${o.kind}`}`,children:[n("rect",{class:"bar-body",x:"1",y:"1",width:"20",height:"10",rx:"2"}),o.kind==="queue"&&n("rect",{class:"bar-queue",x:"1",y:"1",width:"\
20",height:"10",rx:"2"}),o.kind==="away"&&n("rect",{class:"bar-away",x:"1",y:"1",width:"20",height:"10"}),o.kind==="dropped"&&n("line",{class:"bar-strike",x1:"1",
x2:"21",y1:"6",y2:"6"})]})}),o.text]},o.text))}):null}function Td(e){return n("div",{class:"gantt-table-room",tabIndex:0,role:"group","aria-label":"Stages as a \
table",children:n("table",{class:"gantt-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"col",children:"Stage"}),n("th",{scope:"col",class:"\
num",children:"Began"}),n("th",{scope:"col",class:"num",children:"Took"}),n("th",{scope:"col",class:"num",children:"In queues"}),n("th",{scope:"col",children:"R\
esult"})]})}),n("tbody",{children:e.bars.map((t,o)=>n("tr",{class:t===e.pointed?"gantt-row-pointed":"",onPointerEnter:()=>e.onPoint(t),children:[n("th",{scope:"\
row",class:"said",children:t.stage}),n("td",{class:"num",children:O(t.start-e.start)}),n("td",{class:"num",children:O(t.end-t.start)}),n("td",{class:"num",children:t.
queue_ms>=1?O(t.queue_ms/1e3):"\u2013"}),n("td",{children:[t.became,t.wrong&&`: ${t.wrong} ended otherwise`,t.assumed.length>0&&n("span",{class:"faint",children:[
" assumed ",t.assumed.join(", ")]}),t.error&&n(oe,{class:"gantt-error",children:t.error})]})]},o))})]})})}function Hi({report:e,film:t}){let{step:o,previous:a}=t,r=Lo(o);return n("div",{class:"step-panel",children:[r.length>0&&n("ul",{class:"problems","aria-label":"\
Problems of this step",children:r.map((i,s)=>n("li",{class:`problem problem-${i.tone}`,children:[n(v,{name:i.tone==="quiet"?"info":"warning"}),n("div",{children:[
n("strong",{children:[i.title,"."]}),i.text&&n(oe,{children:i.text})]})]},s))}),n(Md,{report:e,film:t}),o.thought&&n(qt,{label:"Thought",children:n(oe,{children:o.
thought})}),n(Wt,{label:"Subgoal",text:o.subgoal,before:Wn(e,t.index,"subgoal")}),n(Wt,{label:"Plan",text:o.plan,before:Wn(e,t.index,"plan")}),n(Wt,{label:"Prog\
ress",text:o.progress,before:Wn(e,t.index,"progress")}),n(Wt,{label:"Notes",text:o.notes,before:Wn(e,t.index,"notes")}),o.findings.some(i=>!i.is_problem)&&n(qt,
{label:"What stages found",children:o.findings.map((i,s)=>!i.is_problem&&n(oe,{children:`${i.stage}: ${i.text}`},s))}),o.rubrics_held.length>0&&n(qt,{label:"Mil\
estones that held after the step",children:n("ul",{class:"step-rubrics",children:o.rubrics_held.map(i=>n("li",{children:[n(v,{name:a?.rubrics_held.includes(i)?"\
check":"plus",size:12}),n("span",{class:"said",children:i})]},i))})}),n("p",{class:"step-facts faint",children:[o.model_calls," model ",o.model_calls===1?"call":
"calls"," \xB7 ",ue(o.input_tokens)," tokens in \xB7"," ",ue(o.output_tokens)," tokens out",o.app&&n(h,{children:[" \xB7 ",n("bdi",{class:"mono said",children:o.
app})]})]})]})}function Wn(e,t,o){if(t!==0)return e.steps.slice(0,t).findLast(a=>a[o])?.[o]??""}function Md({report:e,film:t}){let{step:o}=t,a=!o.action&&t.index===
t.count-1&&!ae(e);return n("section",{class:"action-card","aria-label":"Action",children:[n("div",{class:"action-card-head",children:[n("span",{class:"action-ca\
rd-words said",dir:"auto",children:a?"The step is under way":we(o)}),o.by_person&&n(q,{tone:"accent",icon:"hand",title:"A person had taken the episode over.",children:n(
"bdi",{class:"clip",children:["by ",o.by_person]})}),o.outcome?n(gr,{verdict:o.outcome}):o.action&&n(q,{children:"no verdict"})]}),o.typed_text&&n("p",{class:"a\
ction-card-row",children:[n("span",{class:"faint",children:"Typed"}),n("span",{class:"said",children:o.typed_text})]}),o.expectation&&n("p",{class:"action-card-\
row",children:[n("span",{class:"faint",children:"Expected"}),n("span",{class:"said",children:o.expectation})]})]})}function Ui(e){let{film:t}=e,o={screen:t.step.elements.length,calls:t.step.calls.length};return n("div",{class:"film-panel",children:[n("div",{class:"film-tabs",
children:n(gi,{label:"About the step",panel:"film-tab-panel",current:t.tab,onChange:a=>Nn(kt.find(r=>r===a)??"step"),tabs:kt.map(a=>{let r=o[a];return{id:a,title:zt[a],
...r?{count:r}:{}}})})}),n("div",{id:"film-tab-panel",class:"film-tab-panel",role:"tabpanel","aria-label":zt[t.tab],tabIndex:0,children:n(Rd,{...e})})]})}function Rd({
report:e,film:t,source:o,live:a}){switch(t.tab){case"screen":return n(Xi,{film:t});case"timing":return n(Di,{report:e,film:t,live:a});case"calls":return n(Ci,{film:t,
source:o});case"log":return n($i,{report:e,film:t,source:o});default:return n(Hi,{report:e,film:t})}}function Vi({screen:e,source:t}){let[o,a]=_([]),i=(e?[t.pictureUrl(e,"small"),t.pictureUrl(e,"full")]:[]).find(s=>s!==null&&!o.includes(s));return i?n("img",{src:i,
alt:"",loading:"lazy",decoding:"async",draggable:!1,onError:()=>a([...o,i])}):n(v,{name:"image"})}var Ad=92,ji=8,Ki=6;function Gi(e){let{report:t,film:o,source:a}=e,{steps:r}=t,i=Ld(r[0])+ji,s=B(null),[l,c]=_({from:0,to:24}),[u,d]=_(null),f=()=>{let p=s.current;
if(!p)return;let g=Math.max(0,Math.floor(p.scrollLeft/i)-Ki),w=Math.min(r.length,Math.ceil((p.scrollLeft+p.clientWidth)/i)+Ki);c(b=>b.from===g&&b.to===w?b:{from:g,
to:w})};ie(()=>{let p=s.current;if(!p)return;let g=o.index*i-(p.clientWidth-i)/2,w=Math.abs(g-p.scrollLeft)>2*p.clientWidth;p.scrollTo({left:g,behavior:w||$d()?
"instant":"smooth"}),f()},[o.index,r.length,i]),S(()=>{let p=new ResizeObserver(f);return s.current&&p.observe(s.current),()=>p.disconnect()},[r.length,i]);let m=(p,g)=>{
let w=g.getBoundingClientRect();d({index:p,left:w.left+w.width/2,top:w.bottom})};return n("div",{class:"strip",ref:s,onScroll:()=>{f(),d(null)},onPointerLeave:()=>d(
null),children:[n("ol",{class:"strip-track",style:{width:`${r.length*i}px`},"aria-label":"Steps",children:r.slice(l.from,l.to).map((p,g)=>{let w=l.from+g;return n(
"li",{class:"strip-place",style:{left:`${w*i}px`},"aria-setsize":r.length,"aria-posinset":w+1,children:n(Bd,{step:p,source:a,width:i-ji,isShown:w===o.index,onShow:()=>Te(
t,w),onPoint:b=>m(w,b)})},p.step)})}),u&&r[u.index]&&n(Nd,{step:r[u.index],source:a,left:u.left,top:u.top})]})}function $d(){return matchMedia("(prefers-reduced\
-motion: reduce)").matches}function Ld(e){let t=e?.width&&e.height?e.width/e.height:.45;return Math.round(Math.min(132,Math.max(42,Ad*t)))}function Bd(e){let{step:t,
source:o}=e,a=Fd(t);return n("a",{class:`strip-step strip-${t.outcome??"none"}${e.isShown?" strip-shown":""}`,style:{width:`${e.width}px`},href:Bn(t.step),"aria\
-current":e.isShown?"step":void 0,onClick:r=>{r.ctrlKey||r.metaKey||r.shiftKey||r.button||(r.preventDefault(),e.onShow())},onPointerEnter:r=>r.pointerType==="mo\
use"&&e.onPoint(r.currentTarget),children:[n("span",{class:"strip-foot",children:[n("span",{class:"unseen",children:"Step "}),t.step,t.outcome&&n("span",{class:"\
strip-letter",children:[t.outcome,n("span",{class:"unseen",children:[": ",st[t.outcome]]})]}),n("span",{class:"unseen",children:[". ",we(t)]})]}),n("span",{class:"\
strip-picture",children:[n(Vi,{screen:t.screen,source:o}),a.length>0&&n("span",{class:"strip-marks",children:a.map(r=>n("span",{class:`strip-mark strip-mark-${r.
tone}`,title:r.text,children:n(v,{name:r.icon,size:10,label:r.text})},r.text))})]})]})}function Fd(e){let t=[];return(e.failures.length||e.problem)&&t.push({icon:"\
warning",tone:"bad",text:"something failed"}),e.wrong_page!=null&&t.push({icon:"left",tone:"warn",text:"a wrong page, the agent went back"}),e.resumed.length&&t.
push({icon:"retry",tone:"accent",text:"interrupted and resumed"}),e.by_person&&t.push({icon:"hand",tone:"accent",text:"a person's action"}),t}function Nd(e){let{
step:t,source:o}=e,a=t.screen?o.pictureUrl(t.screen,"full"):null,r=130;return n("div",{class:"strip-magnified",style:{left:`${Math.min(Math.max(e.left,r),innerWidth-
r)}px`,top:`${e.top+6}px`},"aria-hidden":"true",children:[a&&n("img",{src:a,alt:""}),n("span",{class:"strip-magnified-words",children:[n("strong",{children:["St\
ep ",t.step]}),t.outcome&&` \xB7 ${st[t.outcome]}`,n("span",{class:"said",children:we(t)})]})]})}function Yi({live:e}){let[t,o]=_(Date.now()/1e3);return S(()=>{let a=setInterval(()=>o(Date.now()/1e3),500);return()=>clearInterval(a)},[]),n("section",{class:"\
live","aria-label":"Now",children:[e.connection==="lost"&&n("p",{class:"live-lost",role:"alert",children:[n(v,{name:"warning"})," The connection is lost. The pa\
ge connects again by itself and then shows what it missed."]}),n("p",{class:"live-stages",children:[n("span",{class:`live-dot${e.connection==="open"?" live-dot-\
on":""}`,"aria-hidden":"true"}),e.stages.length?e.stages.map(a=>n("span",{class:"live-stage",children:[n("span",{class:`live-colour live-${a.stage}`,"aria-hidde\
n":"true"}),a.stage," ",n("span",{class:"faint",children:["step ",a.step]})," ",n("span",{class:"live-seconds",children:O(Math.max(0,Math.round(10*(t-a.since))/
10))})]},`${a.step} ${a.stage}`)):n("span",{class:"quiet",children:"Between two stages"})]}),e.writing?.text&&n("p",{class:"live-writing",children:[n("span",{class:"\
faint",children:[St(e.writing.role)," writes"]})," ",n("span",{class:"said",children:e.writing.text.slice(-400)})]})]})}function Xo({step:e,width:t}){let o=t/100,a=e.touches.length>1;return n("g",{class:`action ${e.by_person?"action-person":""}`,children:e.touches.map((r,i)=>n("g",
{children:[ti(r)?n(Id,{touch:r,unit:o}):n(Od,{step:e,touch:r,unit:o}),a&&n(Jd,{touch:r,unit:o,number:i+1})]},i))},e.step)}function Od({step:e,touch:t,unit:o}){let a={
cx:t.x1,cy:t.y1};return n(h,{children:[n("circle",{class:"action-pulse",...a,r:4.2*o}),n("circle",{class:"action-case",...a,r:4.2*o}),n("circle",{class:"action-\
ring",...a,r:4.2*o}),e.action_kind==="Long_Press"&&n("circle",{class:"action-ring",...a,r:6.4*o}),n("circle",{class:"action-dot",...a,r:1.3*o})]})}function Id({
touch:e,unit:t}){let{x1:o,y1:a,x2:r,y2:i}=e,s=Math.atan2(i-a,r-o),l=d=>{let f=s+Math.PI-d;return`${r+Math.cos(f)*6*t} ${i+Math.sin(f)*6*t}`},c=`M${o} ${a}L${r} ${i}`,
u=`M${l(.5)}L${r} ${i}L${l(-.5)}`;return n(h,{children:[n("path",{class:"action-case",d:c}),n("path",{class:"action-case",d:u}),n("path",{class:"action-ring",d:c}),
n("path",{class:"action-ring",d:u}),n("path",{class:"action-flow",d:c,pathLength:100}),n("circle",{class:"action-case",cx:o,cy:a,r:2.6*t}),n("circle",{class:"ac\
tion-start",cx:o,cy:a,r:2.6*t})]})}function Jd({touch:e,unit:t,number:o}){return n("text",{class:"action-number",x:e.x1+5*t,y:e.y1-4*t,"font-size":5*t,children:o})}
function Qi({step:e}){let t=ei(e);return!t&&!e.typed_text&&!e.by_person?null:n("div",{class:"action-caption",children:[e.by_person&&n("span",{class:"action-chip\
 action-by",children:[n(v,{name:"hand",size:12}),n("bdi",{class:"clip",children:e.by_person})]}),e.typed_text&&n("span",{class:"action-typed",children:[n(v,{name:"\
keyboard",size:14,label:"typed"}),n("span",{class:"said",children:e.typed_text})]}),t&&n("span",{class:"action-chip said",children:t})]})}function Vt(e){let{screen:t,size:o}=e,a=e.source.pictureUrl(t,"full"),[r,i]=_(null);return S(()=>i(null),[t]),n("div",{class:`shot ${e.class??""}`,style:{"--rat\
io":String(o[0]/o[1])},children:[a&&r!==t?n("img",{class:"shot-picture",src:a,alt:e.label,width:o[0],height:o[1],decoding:"async",draggable:!1,onError:()=>i(t)}):
n("div",{class:"shot-missing",role:"img","aria-label":e.label,children:[n(v,{name:"image",size:24}),n("span",{children:a?"This screen could not be loaded.":"Thi\
s report was made without screens."})]}),e.marks&&n("svg",{class:"shot-marks",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:e.
marks}),e.children]})}function Zi(e,t){let o=t.filter(Boolean).join(" ");S(()=>{let a=o.split(" ").filter(Boolean).map(r=>{let i=new Image,s=e.pictureUrl(r,"ful\
l");return s&&(i.src=s),i});return()=>a.splice(0)},[o,e])}var Xd=300,jt=new Map;function ts(e,t,o){let{screen:a,screen_after:r}=t,i=a&&r?`${a} ${r}`:"",[s,l]=_(null);return S(()=>{if(!a||!r||jt.has(i))return;let c=!0,u=d=>{
jt.size>Xd&&jt.clear(),jt.set(i,d),c&&l({pair:i,changes:d})};return Wd(e,t,o).then(u,()=>{}),()=>{c=!1}},[i,e,o?.elements.length]),i?jt.get(i)??(s?.pair===i?s.changes:
null):null}async function Wd(e,t,o){let{screen:a,screen_after:r}=t;if(a===r)return{places:[],share:0,by:"pixels"};let i=[a,r].map(l=>l?e.pictureUrl(l,"full"):null);
if(i[0]&&i[1]){let[l,c]=await Promise.all([es(i[0]),es(i[1])]),u=l&&c&&Ni(l,c);if(u)return u}let s=o&&o.screen===r?o.elements:null;if(!s||!t.elements.length)throw new Error(
"nothing to compare");return Oi(t.elements,s,[t.width??1,t.height??1])}async function es(e){let t=new Image;t.src=e;try{return await t.decode(),t}catch{return null}}var qd=.5;function os(e){let{film:t,source:o}=e,{step:a,next:r}=t;Zi(o,[r?.screen,r?.screen_after,t.previous?.screen]);let i=ts(o,a,r),s={...e,changes:i},l=a.screen_after?
n(zd,{...s}):n(is,{children:e.missing});return t.view==="slider"&&a.screen&&a.screen_after?n(Dd,{...s}):t.view!=="side"?n("div",{class:"stage stage-one",children:t.
face==="after"?l:n(ns,{...s})}):n("div",{class:"stage stage-side",children:[n(ns,{...s}),l]})}function Wo(e,t,o){return e.sizes?.[t]??[o.step.width??1080,o.step.
height??2400]}function ns({report:e,film:t,source:o}){let{step:a}=t;if(!a.screen)return n(is,{children:"No screen was taken at this step."});let r=Wo(e,a.screen,
t);return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:yt(
a.taken_at)}),a.app&&n("bdi",{class:"clip faint mono",children:a.app})]}),n("div",{class:"shot-room",children:n(Vt,{source:o,screen:a.screen,size:r,label:`Scree\
n before the action of step ${a.step}`,marks:n(h,{children:[n(Fo,{elements:a.elements,all:t.boxes}),n(Xo,{step:a,width:r[0]})]}),children:[n(No,{elements:a.elements,
size:r}),n(Qi,{step:a})]})})]})}function zd({report:e,film:t,source:o,changes:a}){let{step:r,next:i}=t,s=r.screen_after,l=Wo(e,s,t),c=i?.screen===s?i.elements:[],
u=i?.taken_at!=null&&r.taken_at!=null&&i.screen===s?i.taken_at-r.taken_at:null;return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-ca\
ption",children:[n("strong",{children:"After"}),u!==null&&n("span",{class:"faint",children:["+",O(u)]}),n(rs,{step:t,changes:a})]}),n("div",{class:"shot-room",children:n(
Vt,{source:o,screen:s,size:l,label:`Screen after the action of step ${r.step}`,marks:n(h,{children:[t.changes&&n(as,{changes:a}),n(Fo,{elements:c,all:t.boxes})]}),
children:n(No,{elements:c,size:l})})})]})}function as({changes:e}){return!e||e.share>qd?null:n("g",{children:e.places.map((t,o)=>n("rect",{class:"change",x:t.x1,
y:t.y1,width:t.x2-t.x1,height:t.y2-t.y1,rx:8},o))})}function rs({step:e,changes:t}){if(e.step.screen===e.step.screen_after)return n("span",{class:"stage-same",children:"\
the same picture"});if(!t)return null;if(!t.places.length)return n("span",{class:"stage-same",children:"no change to see"});let o=t.share<.01?"under 1\xA0%":xe(
t.share);return n("span",{class:"faint",title:t.by==="elements"?"Found from what was read off the screens.":void 0,children:[o," changed"]})}function Dd(e){let{
report:t,film:o,source:a,changes:r}=e,{step:i}=o,[s,l]=_(50),c=Wo(t,i.screen,o);return n("div",{class:"stage stage-one",children:n("figure",{class:"stage-figure",
children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:"left of the line,"}),n("strong",{children:"\
after"}),n("span",{class:"faint",children:"right of it"}),n(rs,{step:o,changes:r})]}),n("div",{class:"shot-room",children:n(Vt,{source:a,screen:i.screen_after,size:c,
label:`Screen after the action of step ${i.step}`,marks:o.changes&&n(as,{changes:r}),children:[n("div",{class:"slider-before",style:{clipPath:`inset(0 ${100-s}%\
 0 0)`},children:n(Vt,{source:a,screen:i.screen,size:c,label:`Screen before the action of step ${i.step}`,marks:n(Xo,{step:i,width:c[0]})})}),n("div",{class:"sl\
ider-line",style:{left:`${s}%`},"aria-hidden":"true",children:n("span",{class:"slider-knob",children:[n(v,{name:"left",size:12}),n(v,{name:"right",size:12})]})}),
n("input",{class:"slider-input",type:"range",min:0,max:100,value:s,"aria-label":"How much of the screen before is shown","aria-valuetext":`${s} percent before, ${100-
s} percent after`,onInput:u=>l(Number(u.currentTarget.value)),onKeyDown:u=>/^(Arrow|Home|End|Page)/.test(u.key)&&u.stopPropagation()})]})})]})})}function is({children:e}){
return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:n("strong",{children:"After"})}),n("div",{class:"stage-none",children:e})]})}
function ss(e,t){return`Step ${e.step.step}, ${e.index+1} of ${e.count}: ${we(e.step)}${t&&`, ${t}`}`}var Hd=460,Ud=400,qn=12;function ls(e,t){ie(()=>{let o=e.current;if(!o)return;let a=()=>{let i=o.querySelector(".film-reel"),s=Math.min(Hd,Vd(i??o)+qn);o.style.
setProperty("--stage-height",`${Math.max(Ud,innerHeight-s-qn)}px`),o.style.setProperty("--reel",`${(i?.offsetHeight??0)+qn}px`)},r=new ResizeObserver(a);for(let i of o.
querySelectorAll(".film-head, .film-reel"))r.observe(i);return addEventListener("resize",a),a(),()=>{r.disconnect(),removeEventListener("resize",a)}},[e,t])}function Vd(e){
let t=e.closest(".film")??e,o=t.querySelector(".film-head");return t.getBoundingClientRect().top+scrollY+(o?.offsetHeight??0)+qn+e.offsetHeight}function qo(e){let{source:t,live:o}=e,a=X(()=>o?e.report:ni(e.report),[e.report,o!==void 0]),r=li(a),i=ui(a,r);hi(a,r,i);let s=B(null);return ls(s,r!==null),n("\
article",{class:"film",ref:s,children:[n(fi,{report:a,tools:e.tools}),n(di,{report:a}),r?n(h,{children:[n("section",{class:"film-reel panel","aria-label":"Film",
children:[o&&!ae(a)&&n(Yi,{live:o}),n(Gi,{report:a,film:r,source:t}),n(mi,{report:a,film:r,player:i})]}),n("section",{class:"film-stage","aria-label":"Screens o\
f the step",children:e.surface??n(h,{children:[n(Kd,{film:r}),n("div",{class:"film-stage-room",children:n(os,{report:a,film:r,source:t,missing:n(Gd,{report:a,film:r})})})]})}),
n(Ui,{report:a,film:r,source:t,live:o}),n("p",{class:"unseen","aria-live":"polite",children:ss(r,r.step.outcome?st[r.step.outcome]:"")})]}):e.surface??n(N,{icon:"\
image",title:ae(a)?"No step was taken":"No step yet",children:ae(a)?"The episode ended before its first screen was taken.":"The first screen appears as soon as \
the phone has sent it."})]})}var jd={side:"Side by side",slider:"Slider",one:"One screen"};function Kd({film:e}){return n("div",{class:"film-stage-tools",role:"\
group","aria-label":"How screens are shown",children:[n("div",{class:"segments",title:"Layout (V)",children:ct.map(t=>n(x,{kind:"quiet",pressed:e.view===t,onClick:()=>On(
t),children:jd[t]},t))}),n(x,{icon:"layers",pressed:e.boxes,title:"Boxes of what was read (B)",onClick:()=>_t(!e.boxes),children:"Boxes"}),n(x,{icon:"filter",pressed:e.
changes,title:"Mark what changed (D)",onClick:()=>In(!e.changes),children:"Changes"})]})}function Gd({report:e,film:t}){let o=t.index===t.count-1;return o&&!ae(
e)?n("span",{children:"The step is under way."}):t.step.action?n("span",{children:o?"The episode ended before another screen was taken.":"No screen was taken af\
ter the action."}):n("span",{children:"No action was sent at this step."})}var cs={least:100,most:2e3};function ds(e,t,o,a){if(Math.hypot(t.x-e.x,t.y-e.y)<=.02*a)return o>=500?{name:"Long_Press",...e,ms:Math.min(5e3,Math.round(o))}:{name:"\
Tap",...e};let r=Math.round(Math.min(cs.most,Math.max(cs.least,o)));return{name:"Swipe",x1:e.x,y1:e.y,x2:t.x,y2:t.y,ms:r}}function ps(e,t,o){let a=(r,i,s,l)=>Math.
min(l-1,Math.max(0,Math.floor((r-i)/Math.max(1,s)*l)));return{x:a(e.x,t.left,t.width,o[0]),y:a(e.y,t.top,t.height,o[1])}}function us(e,[t,o]){let[a,r,i]=[.25,.5,
.75],s={up:[r,i,r,a],down:[r,a,r,i],left:[i,r,a,r],right:[a,r,i,r]},[l,c,u,d]=s[e].map((f,m)=>Math.round(f*(m%2?o:t)));return{name:"Swipe",x1:l??0,y1:c??0,x2:u??
0,y2:d??0,ms:400}}var Yd=[{name:"Back",words:"Back"},{name:"Home",words:"Home"},{name:"Switch_App",words:"Apps"},{name:"Enter",words:"Enter"}],Qd=[{to:"up",icon:"up"},{to:"down",
icon:"down"},{to:"left",icon:"left"},{to:"right",icon:"right"}];function ms({size:e,isBusy:t,onAct:o}){let[a,r]=_(""),[i,s]=_(!1),l=c=>{c.preventDefault(),!(!a||
t)&&(o({name:"Type",text:a,clear:i}),r(""))};return n("div",{class:"phone-buttons",children:[n("div",{class:"phone-row",role:"group","aria-label":"Keys of the p\
hone",children:[Yd.map(c=>n(x,{disabled:t,onClick:()=>o({name:c.name}),children:c.words},c.name)),Qd.map(c=>n(x,{icon:c.icon,kind:"quiet",label:`Swipe ${c.to}`,
disabled:t,onClick:()=>o(us(c.to,e))},c.to)),n(x,{icon:"retry",kind:"quiet",label:"Take the screen anew",disabled:t,onClick:()=>o({name:"Wait",seconds:.1})})]}),
n("form",{class:"phone-row",onSubmit:l,children:[n("input",{class:"phone-text","aria-label":"Text to type on the phone",placeholder:"Text to type",value:a,autocomplete:"\
off",spellcheck:!1,onInput:c=>r(c.currentTarget.value)}),n("label",{class:"phone-clear",children:[n("input",{type:"checkbox",checked:i,onChange:c=>s(c.currentTarget.
checked)})," empty the field first"]}),n(x,{type:"submit",disabled:t||!a,children:"Type"})]})]})}var ep=700;function zo(e){let{picture:t,size:o,isBusy:a,onAct:r}=e,[i,s]=_(null),[l,c]=_(null),[u,d]=_(""),f=B(null);S(()=>{if(!u||a)return;let b=setTimeout(()=>{
d(""),r({name:"Type",text:u,clear:!1})},ep);return()=>clearTimeout(b)},[u,a]);let m=b=>ps({x:b.clientX,y:b.clientY},f.current.getBoundingClientRect(),o),p=b=>{if(a||
b.button)return;f.current?.setPointerCapture(b.pointerId);let I=m(b);c(null),s({from:I,to:I,at:performance.now()})},g=b=>{i&&(s(null),r(ds(i.from,m(b),performance.
now()-i.at,o[0])))},w=b=>{b.ctrlKey||b.metaKey||b.altKey||b.key==="Tab"||!np(b,{cross:l,typed:u,size:o,isBusy:a,setCross:c,setTyped:d,onAct:r})||(b.preventDefault(),
b.stopPropagation())};return n("div",{class:"phone",children:[n("div",{class:"shot-room phone-room",children:n("div",{ref:f,class:`shot phone-screen${a?" phone-\
busy":""}`,style:{"--ratio":String(o[0]/o[1])},role:"application",tabIndex:0,"aria-label":"The phone's screen. Arrow keys move a cross, Enter taps at it, Shift \
and Enter press long. Letters are typed.","aria-busy":a,onPointerDown:p,onPointerMove:b=>i&&s({...i,to:m(b)}),onPointerUp:g,onPointerCancel:()=>s(null),onContextMenu:b=>b.
preventDefault(),onKeyDown:w,children:[t?n("img",{class:"shot-picture",src:t,alt:"",width:o[0],height:o[1],draggable:!1}):n("div",{class:"shot-missing",children:"\
Waiting for the phone's screen"}),n("svg",{class:"shot-marks",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:[i&&n(op,{drag:i,
unit:o[0]/100}),l&&n(ap,{at:l,unit:o[0]/100})]}),u&&n("p",{class:"phone-typed",children:[n(v,{name:"keyboard",size:14})," ",n("span",{class:"said",children:u})]}),
a&&n("p",{class:"phone-wait",children:"The phone carries out the action\u2026"})]})}),n("p",{class:"phone-problem",role:"status",children:e.problem}),n(ms,{size:o,
isBusy:a,onAct:r})]})}var tp={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};function np(e,t){let[o,a]=t.size,r=tp[e.key];if(r){let i=o*(e.shiftKey?
.005:.03),s=t.cross??{x:o/2,y:a/2},l=(c,u)=>Math.round(Math.min(u-1,Math.max(0,c)));return t.setCross({x:l(s.x+r[0]*i,o),y:l(s.y+r[1]*i,a)}),!0}if(e.key==="Esca\
pe"){let i=t.typed!==""||t.cross!==null;return t.setTyped(""),t.setCross(null),i}return e.key==="Enter"?(t.isBusy||(t.typed?(t.setTyped(""),t.onAct({name:"Type",
text:t.typed,clear:!1})):t.cross?t.onAct(e.shiftKey?{name:"Long_Press",...t.cross,ms:800}:{name:"Tap",...t.cross}):t.onAct({name:"Enter"})),!0):e.key==="Backspa\
ce"?(t.setTyped([...t.typed].slice(0,-1).join("")),!0):[...e.key].length!==1?!1:(t.setTyped(t.typed+e.key),!0)}function op({drag:e,unit:t}){let{from:o,to:a}=e,r=Math.
hypot(a.x-o.x,a.y-o.y)>2*t;return n("g",{class:"action action-person",children:[r&&n("path",{class:"action-case",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),r&&n("path",
{class:"action-ring",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),n("circle",{class:"action-case",cx:o.x,cy:o.y,r:4*t}),n("circle",{class:"action-ring",cx:o.x,cy:o.y,r:4*
t}),!r&&n("circle",{class:"phone-hold",cx:o.x,cy:o.y,r:6.5*t,pathLength:100,style:{animationDuration:`${500}ms`}})]})}function ap({at:e,unit:t}){let o=`M${e.x-6*
t} ${e.y}h${12*t}M${e.x} ${e.y-6*t}v${12*t}`;return n("g",{class:"action action-person",children:[n("path",{class:"action-case",d:o}),n("path",{class:"action-ri\
ng",d:o})]})}var rp=3e3,Do=class{state=E(null);pending=E(null);problem=E(null);result=E(null);#t;#e;#n=!1;constructor(t){this.#t=`/episodes/${R(t)}`}open(){let t=ke({onOpen:()=>{
this.#o()},onEvent:o=>{(o.kind.startsWith("episode.")||o.kind==="task.ended")&&this.#o()}});return this.#o(),()=>{t(),this.#n=!0,clearTimeout(this.#e)}}async ask(t){
if(this.pending.value!==null)return;this.pending.value=t,this.problem.value=null,this.result.value=null;let o=performance.now();try{this.state.value=await V("PO\
ST",`${this.#t}:${t}`),this.result.value=ip[t]((performance.now()-o)/1e3)}catch(a){this.problem.value=ee(a),this.#o()}finally{this.pending.value=null}}async act(t,o){
if(this.pending.value!==null)return;this.pending.value="action",this.problem.value=null,this.result.value=null;let a={method:"POST",headers:{"Idempotency-Key":crypto.
randomUUID()},body:{screen:t,action:o}};try{let r=await this.#a(a);this.state.value=r.control,r.status!=="done"&&(this.result.value=`${o.name}: ${r.status}. ${r.
detail}`)}catch(r){this.problem.value=ee(r),this.#o()}finally{this.pending.value=null}}async#a(t){try{return await(await ve(`${this.#t}/actions`,t)).json()}catch(o){
if(ee(o).status!==0&&ee(o).status!==503)throw o;return await(await ve(`${this.#t}/actions`,t)).json()}}async#o(){clearTimeout(this.#e);try{let t=await A(`${this.#t}\
/control`);this.pending.value===null&&(this.state.value=t)}catch{}!this.#n&&this.state.value?.phase!=="ended"&&(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#o()},
rp))}},ip={pause:()=>"Paused. No further action is sent.",resume:()=>"It goes on.",stop:e=>`Stopped, after ${e.toFixed(1)} s. Nothing more is sent to the phone.`,
"take-over":()=>"You have the phone. Tap, swipe and type on the picture.","hand-back":()=>"Handed back. The agent goes on from this screen."};function fs(e){let t=X(
()=>new Do(e),[e]);return S(()=>t.open(),[t]),t}var sp=1e3,lp=3e3,cp=2,Ho=class{report=E(null);problem=E(null);#t;#e=new AbortController;#n;#a=null;#o=!1;constructor(t){this.#t=t}open(){let t=ke({onOpen:()=>this.#r(
0),onEvent:o=>{o.task!=null&&o.task===this.report.value?.episode.task&&this.#r(0)}});return document.addEventListener("visibilitychange",this.#i),this.#r(0),()=>{
t(),document.removeEventListener("visibilitychange",this.#i),clearTimeout(this.#n),this.#e.abort()}}reload=()=>this.#r(0);#i=()=>{document.hidden||this.#r(0)};#r(t){
this.#e.signal.aborted||(clearTimeout(this.#n),this.#n=setTimeout(()=>{this.#s()},t))}async#s(){if(this.#o)return;this.#o=!0;let t=sp;try{await this.#l(),this.problem.
value=null}catch(a){if(this.#e.signal.aborted||(this.problem.value=ee(a),t=lp,this.problem.value.status===404&&this.report.value===null))return}finally{this.#o=
!1}!(this.report.value?.episode.ended_at!=null)&&!document.hidden&&this.#r(t)}async#l(){let t=this.report.value?.steps??[],o=t.at(-cp)?.step??0,a={};this.#a?.from===
o&&(a["If-None-Match"]=this.#a.value);let r={query:{from:o},headers:a,signal:this.#e.signal},i=await ve(`/episodes/${R(this.#t)}/report`,r);if(i.status===304)return;
let s=i.headers.get("ETag"),l=await i.json(),c=t.filter(d=>d.step<(l.first_step??0)),u={...this.report.value?.sizes,...l.sizes};this.report.value={...l,steps:[...c,
...l.steps??[]],sizes:u,first_step:0},this.#a=s===null?null:{from:o,value:s}}};function hs(e){let t=X(()=>new Ho(e),[e]);return S(()=>t.open(),[t]),t}var dp=180;function gs(e){let t=`/episodes/${R(e)}`;return{pictureUrl:(o,a)=>Se(`${t}/screens/${R(o)}`,a==="small"?{width:dp}:{}),loadCalls:o=>A(`${t}/steps/${o}\
/calls`)}}function Ge(e){let t=T(!1),o=B(null);S(()=>{t.value&&o.current?.showModal()},[t.value]);let a={needs:e.needs,disabled:e.disabled??!1,onClick:()=>t.value=!0};return n(
h,{children:[n(J,{...a,...e.owner===void 0?{}:{owner:e.owner},...e.icon?{icon:e.icon}:{},...e.isIcon?{label:e.name,kind:"quiet"}:{},children:e.isIcon?void 0:e.name}),
t.value&&n("dialog",{ref:o,class:"confirm","aria-label":e.name,onClose:()=>t.value=!1,children:[n("p",{class:"said",children:e.question}),n("div",{class:"confir\
m-answers",children:[n(x,{autofocus:!0,onClick:()=>o.current?.close(),children:"Go back"}),n(x,{kind:"danger",onClick:()=>{o.current?.close(),e.onConfirm()},children:e.
yes})]})]})]})}var pp={pause:"Pausing\u2026",resume:"Going on\u2026",stop:"Stopping\u2026","take-over":"Waiting for the agent's action to end\u2026","hand-back":"Handing back\u2026"};
function ys({control:e,owner:t}){let o=e.state.value;if(o===null||o.phase==="ended")return n(vs,{control:e});let a=t===void 0?"operate":"submit",r={needs:a,...t===
void 0?{}:{owner:t},disabled:e.pending.value!==null};return n("div",{class:"live-tools",children:[n("div",{class:"live-buttons",children:[o.phase==="running"&&n(
J,{...r,icon:"pause",onClick:()=>{e.ask("pause")},children:"Pause"}),o.phase==="paused"&&n(J,{...r,icon:"play",onClick:()=>{e.ask("resume")},children:"Let it go\
 on"}),(o.phase==="running"||o.phase==="paused")&&n(J,{...r,icon:"hand",onClick:()=>{e.ask("take-over")},children:"Take over"}),o.phase==="taken_over"&&n(J,{...r,
kind:"primary",icon:"play",onClick:()=>{e.ask("hand-back")},children:"Hand back"}),o.phase!=="stopping"&&n(Ge,{...r,name:"Stop",icon:"stop",question:"Stop this \
episode? Its task ends as cancelled.",yes:"Stop it",onConfirm:()=>{e.ask("stop")}})]}),pe(a,t)!==null&&n(_e,{needs:a,...t===void 0?{}:{owner:t},what:"Steering"}),
n("p",{class:"live-state quiet",children:[e.pending.value===null&&o.phase==="paused"&&n(h,{children:["Paused",o.by&&` by ${o.by}`,o.since!=null&&n(h,{children:[
" ","for ",n(Ue,{since:o.since})]})]}),e.pending.value===null&&o.phase==="taken_over"&&n(h,{children:["Taken over",o.by&&` by ${o.by}`]})]}),n(vs,{control:e})]})}
function vs({control:e}){let t=e.pending.value,o=e.problem.value;return n("p",{class:`live-result${o?" live-result-bad":""}`,role:"status",children:t!==null?pp[t]??
"":o?`${o.title}: ${o.detail}`:e.result.value})}var up=120;function bs({control:e}){let t=e.state.value;if(t===null)return null;let o=t.screen??null,a=`/episodes/${R(t.episode)}/screens/`,r=t.ends_at==null?null:
t.ends_at-be.value;return n("div",{class:"taken",children:[r!==null&&r<up&&n("p",{class:"taken-end quiet",children:["Without another action, the agent gets the \
phone back in ",Mo(r),"."]}),n(zo,{picture:o===null?null:Se(a+R(o)),size:[t.width??1080,t.height??2400],isBusy:e.pending.value!==null,onAct:i=>{o!==null&&e.act(
o,i)},problem:e.problem.value?`${e.problem.value.title}: ${e.problem.value.detail}`:e.result.value})]})}function xs({id:e}){let t=hs(e),o=fs(e),a=X(()=>gs(e),[e]),r=t.report.value,i=(r?.episode.task??e).split(".")[0]??"",s=Z({load:u=>i?A(`/batches/${R(i)}`,{},u):Promise.
resolve(null)},[i]),l=o.state.value,c=r!==null&&r.episode.ended_at==null;return n("div",{class:"live-page",children:[n(fp,{batch:i,name:s.value.value?.name??"",
task:r?.episode.task??""}),t.problem.value&&n(C,{problem:t.problem.value}),r!==null&&n(qo,{report:r,source:a,live:c?mp(e):void 0,surface:l?.phase==="taken_over"&&
l.by===Fe()?n(bs,{control:o}):void 0,tools:n(ys,{control:o,owner:s.value.value?.owner})})]})}function mp(e){gt.value;let t=De().find(r=>r.episode===e),o=t?.stage_since??
t?.step_since??Date.now()/1e3,a=(t?.stages??[]).map(r=>({stage:r,step:t?.step??0,since:o}));return{connection:hn.value==="lost"?"lost":"open",stages:a}}function fp({
batch:e,name:t,task:o}){let a=[{name:"Work",href:y.work()}];return e&&a.push({name:t||e,href:y.batch(e)}),o&&a.push({name:o,href:y.task(o)}),n(D,{crumbs:a,title:""})}var ws=12;function Ss(e,t,o){let[a,r]=_({first:0,end:Math.min(t,40)});return ie(()=>{let i=0,s=()=>{i=0;let u=e.current?.getBoundingClientRect();if(!u)return;let d=Math.
max(0,Math.floor(-u.top/o)-ws),f=Math.min(t,Math.ceil((innerHeight-u.top)/o)+ws);r(m=>m.first===d&&m.end===f?m:{first:Math.min(d,t),end:Math.max(f,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,o]),{first:Math.min(
a.first,t),end:Math.min(Math.max(a.end,a.first),t)}}function zn(e){let t=B(null),o=e.items.length,{first:a,end:r}=Ss(t,o,e.height),i=r>=o;return S(()=>{i&&e.onEnd?.()},[i,o]),n("div",{class:"rows panel",role:"tab\
le","aria-label":e.label,"aria-rowcount":o+1,children:[n("div",{class:"rows-head",role:"rowgroup",children:n("div",{class:"row",role:"row","aria-rowindex":1,children:e.
head})}),n("div",{ref:t,class:"rows-body",role:"rowgroup",style:{height:`${o*e.height}px`},children:e.items.slice(a,r).map((s,l)=>n("div",{class:"row",role:"row",
"aria-rowindex":a+l+2,style:{height:`${e.height}px`,transform:`translateY(${(a+l)*e.height}px)`},children:e.children(s,a+l)},e.keyOf(s)))})]})}function G(e){return n(
"div",{class:`cell${e.kind?` cell-${e.kind}`:""}`,role:e.head?"columnheader":"cell",children:e.children})}var hp={"batch.accepted":"batch accepted","batch.paused":"batch paused","batch.resumed":"batch goes on","batch.cancelled":"batch cancelled","batch.ended":"batch\
 ended","task.paused":"task paused","task.resumed":"task goes on","task.retried":"task submitted again","task.began":"task began","task.step":"task is at anothe\
r step","task.ended":"task ended","task.failed":"task failed","phone.away":"phone is away","phone.back":"phone is back","phone.aside":"phone set aside","phone.r\
eleased":"phone released","model.away":"model is away","model.back":"model is back","schedule.fired":"schedule submitted","schedule.missed":"schedule missed a t\
ime"},gp=new Set(["task.failed","phone.away","model.away","schedule.missed"]),vp=34;function Dn({events:e,label:t}){return n(zn,{items:e,keyOf:o=>String(o.id),height:vp,
label:t,head:n(h,{children:[n(G,{head:!0,kind:"short",children:"Time"}),n(G,{head:!0,children:"What"}),n(G,{head:!0,children:"Of which"}),n(G,{head:!0,kind:"wid\
e",children:"Why"})]}),children:o=>n(h,{children:[n(G,{kind:"short",children:n("time",{class:"faint",dateTime:new Date(o.at*1e3).toISOString(),title:te(o.at),children:yt(
o.at)})}),n(G,{children:n("span",{class:`clip event-what${gp.has(o.kind)?" event-bad":""}`,children:hp[o.kind]??o.kind})}),n(G,{children:n(yp,{event:o})}),n(G,{
kind:"wide",children:n("span",{class:"clip event-why",children:bp(o)})})]})})}function yp({event:e}){return e.task?n(Uo,{href:y.task(e.task),words:e.task}):e.phone?
n(Uo,{href:y.phone(e.phone),words:e.phone}):e.batch?n(Uo,{href:y.batch(e.batch),words:e.batch}):n("span",{})}function Uo({href:e,words:t}){return n("a",{class:"\
clip event-of mono",href:e,children:t})}function bp(e){let t=e.data??{},o=typeof t.ending=="string"?Ve(t.ending):"",a=typeof t.reason=="string"?t.reason:"";return[
o,a].filter(Boolean).join(": ")}var xp=52;function Hn(e){return n(zn,{items:e.tasks,keyOf:t=>t.id,height:xp,label:e.label,...e.onEnd?{onEnd:e.onEnd}:{},head:n(h,{children:[n(G,{head:!0,kind:"s\
tate",children:"State"}),n(G,{head:!0,kind:"wide",children:"Goal"}),n(G,{head:!0,kind:"extra",children:"Now, or why"}),n(G,{head:!0,kind:"extra",children:"Phone"}),
n(G,{head:!0,kind:"time",children:"Time"}),n(G,{head:!0,kind:"actions",children:n("span",{class:"unseen",children:"Actions"})})]}),children:t=>n(h,{children:[n(
G,{kind:"state",children:n(Cn,{task:t})}),n(G,{kind:"wide",children:[n("a",{class:"task-goal clip",href:wp(t),children:t.goal}),n("span",{class:"task-id mono cl\
ip",children:t.id})]}),n(G,{kind:"extra",children:n("span",{class:"task-reason said",children:Sp(t)})}),n(G,{kind:"extra",children:t.phone?n("a",{class:"clip ta\
sk-phone mono",href:y.phone(t.phone),children:t.phone}):n("span",{class:"faint",children:ce})}),n(G,{kind:"time",children:n(kp,{task:t})}),n(G,{kind:"actions",children:n(
_p,{task:t,...e.owner===void 0?{}:{owner:e.owner},onChanged:e.onChanged})})]})})}function wp(e){return e.episode?y.episode(e.episode):y.task(e.id)}function Sp(e){
return e.phase==="running"?`step ${(e.step??0)+1}${e.doing?` \xB7 ${e.doing}`:""}`:e.phase!=="ended"?"":e.is_done?e.answer??`${e.steps??0} steps`:e.reason??""}function kp({
task:e}){return e.started_at==null?n("span",{class:"faint",children:ce}):e.phase==="running"?n(Ue,{since:e.started_at}):n(h,{children:O(e.ended_at==null?null:e.
ended_at-e.started_at)})}function _p(e){let{task:t}=e,o=j(async()=>(e.onChanged(await V("POST",`/tasks/${R(t.id)}:retry`)),"Submitted again."));return bt(t)?o.result.
value?n("span",{class:"task-again",children:"again"}):n(J,{needs:"submit",...e.owner===void 0?{}:{owner:e.owner},kind:o.problem.value?"danger":"quiet",icon:"ret\
ry",label:o.problem.value?`Retry: ${o.problem.value.detail}`:`Retry ${t.id}`,disabled:o.isRunning.value,onClick:()=>{o.run()}}):null}var Ep=[["half an hour",.5],["2 hours",2],["8 hours",8],["a day",24]];function ks({phone:e}){let t=T(""),o=j(async(i,s)=>{Qa(await V("POST",`/phones/${R(e.serial)}\
:${i}`,s)),t.value=""}),a=e.phase==="aside"||e.phase==="reserved"||e.reserved_for!=null,r={needs:"operate",disabled:o.isRunning.value};return n("div",{class:"ha\
ndset-actions",children:[n("div",{class:"handset-buttons",children:[a&&n(J,{...r,kind:"primary",icon:"play",onClick:()=>{o.run("release")},children:"Release"}),
e.phase!=="aside"&&n(J,{...r,icon:"pause","aria-expanded":t.value==="aside",onClick:()=>t.value=t.value==="aside"?"":"aside",children:"Set aside"}),n(J,{...r,icon:"\
clock","aria-expanded":t.value==="reserve",onClick:()=>t.value=t.value==="reserve"?"":"reserve",children:"Reserve"})]}),t.value==="aside"&&n("form",{class:"hand\
set-form panel",onSubmit:i=>{i.preventDefault(),o.run("aside",{reason:Vo(i,"reason")})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelle\
d-name",children:"Why"}),n("input",{class:"input",name:"reason",required:!0,maxLength:500,autofocus:!0,placeholder:"The screen is cracked"})]}),n("p",{class:"la\
belled-help",children:"It gets no task until it is released. Its present task goes on to its end."}),n(x,{type:"submit",kind:"primary",disabled:o.isRunning.value,
children:"Set it aside"})]}),t.value==="reserve"&&n("form",{class:"handset-form panel",onSubmit:i=>{i.preventDefault();let s=Date.now()/1e3+Number(Vo(i,"hours"))*
3600;o.run("reserve",{owner:Vo(i,"owner"),until:s})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"For whose tasks"}),
n("input",{class:"input",name:"owner",required:!0,defaultValue:Fe(),autofocus:!0})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
For how long"}),n("select",{class:"input",name:"hours",children:Ep.map(([i,s])=>n("option",{value:s,selected:s===2,children:i},s))})]}),n(x,{type:"submit",kind:"\
primary",disabled:o.isRunning.value,children:"Reserve it"})]}),o.problem.value&&n(C,{problem:o.problem.value})]})}function Vo(e,t){return String(new FormData(e.
currentTarget).get(t)??"").trim()}var Pp={"task.began":"busy","task.ended":"free","phone.away":"away","phone.back":"free","phone.aside":"aside","phone.released":"free"},jo={busy:"at work",free:"\
free",away:"away",aside:"set aside"};function Cp(e,t){let o=[],a=null;for(let r of[...e].reverse()){let i=Pp[r.kind];i!==void 0&&(a!==null&&r.at>a.from&&o.push(
{...a,to:r.at}),a={condition:i,from:r.at})}return a!==null&&t>a.from&&o.push({...a,to:t}),o}function _s({events:e}){let t=Math.ceil(be.value/30)*30,o=Cp(e,t),a=o[0]?.
from??t,r=Math.max(1,t-a),i={free:0,busy:0,away:0,aside:0};for(let c of o)i[c.condition]+=c.to-c.from;let s=e.filter(c=>c.kind==="task.ended").length,l=e.filter(
c=>c.kind==="task.failed").length;return n("div",{class:"handset-health panel",children:[n("svg",{class:"handset-strip",viewBox:`0 0 ${r} 1`,preserveAspectRatio:"\
none",role:"img","aria-label":Tp(i,r),children:o.map(c=>n("rect",{class:`strip-${c.condition}`,x:c.from-a,width:Math.max(c.to-c.from,r/800),height:"1",children:n(
"title",{children:`${jo[c.condition]}: ${te(c.from)}, ${rt(c.to-c.from)}`})},c.from))}),n("p",{class:"handset-strip-ends quiet",children:[n("span",{children:te(
a)}),n("span",{children:"now"})]}),n(Pe,{facts:[...Object.keys(i).map(c=>[jo[c],n("span",{class:"handset-key",children:[n("span",{class:`key key-${c}`})," ",xe(
i[c]/r)]},c)]),["Tasks",k(s)],["Failed",`${k(l)} (${xe(s===0?0:l/s)})`]]})]})}function Tp(e,t){return Object.keys(e).map(o=>`${jo[o]} ${xe(e[o]/t)}`).join(", ")}var Es=[{name:"Fleet",href:y.fleet()}];function Cs({serial:e}){gt.value;let t=wn(e)?.value;return t===void 0?n(h,{children:[n(D,{title:e,crumbs:Es}),xn.value&&n(
N,{icon:"phone",title:"The fleet has no such phone",children:["It was detached, or its address has changed. An operator attaches a phone with ",n("code",{children:"\
manyhands attach"}),"."]})]}):n(h,{children:[n(D,{crumbs:Es,title:e,about:n("span",{class:"handset-about",children:[n("span",{class:`dot dot-${t.phase}`})," ",Oe[t.
phase],t.labels?.model&&n("span",{class:"said",children:t.labels.model})]}),actions:n(ks,{phone:t})}),t.reason&&n(de,{tone:t.phase==="away"||t.phase==="aside"?"\
warn":"quiet",children:n("p",{class:"said",children:[Oe[t.phase],": ",t.reason,t.reserved_until!=null&&` until ${te(t.reserved_until)}`]})}),n("div",{class:"han\
dset-page",children:[n(Mp,{phone:t}),n("div",{class:"handset-detail",children:[n(Rp,{phone:t}),n(Ap,{phone:t}),n($p,{serial:e})]})]})]})}function Mp({phone:e}){
let t=T(null),a=(e.episode&&e.screen&&t.value!==e.screen?Se(`/episodes/${R(e.episode)}/screens/${e.screen}`,{width:540}):null)??(e.thumbnail?`data:image/jpeg;ba\
se64,${e.thumbnail}`:null);return n("div",{class:"handset-screen panel",children:a?n("img",{src:a,alt:`The screen of ${e.serial}`,onError:()=>t.value=e.screen??
null}):n("span",{class:"faint",children:[n(v,{name:"phone",size:28}),"No screen yet"]})})}function Rp({phone:e}){return e.task?n("section",{class:"handset-now p\
anel","aria-label":"What it does now",children:[n("p",{class:"handset-goal said",children:e.goal||e.task}),n("p",{class:"quiet said",children:e.subgoal||e.doing}),
n("p",{class:"handset-line",children:n(It,{stages:e.stages??[],since:e.stage_since??null})}),n("p",{class:"handset-line quiet",children:[e.step!=null&&n("span",
{children:["step ",e.step+1]}),e.step_since!=null&&n("span",{children:["for ",n(Ue,{since:e.step_since})]}),e.owner&&n("span",{class:"said",children:["asked by ",
e.owner]}),e.taken_over_by&&n("strong",{class:"said",children:["taken over by ",e.taken_over_by]})]}),n("p",{class:"handset-line",children:[e.episode&&n("a",{class:"\
button button-primary",href:y.episode(e.episode),children:[n(v,{name:"play"})," Watch it live"]}),e.batch&&n("a",{class:"button",href:y.batch(e.batch),children:[
"Batch ",e.batch]})]})]}):null}function Ap({phone:e}){let t=Object.entries(e.labels??{}),o=t.filter(([r])=>!r.startsWith("app:")&&r!=="serial"&&r!=="model"),a=t.
filter(([r])=>r.startsWith("app:"));return n(h,{children:[n(Pe,{facts:[["Battery",e.battery==null?null:`${Math.round(e.battery)}\xA0%`],["Warmth",e.celsius==null?
null:`${he(e.celsius)}\xA0\xB0C`],["Failures in a row",e.failures?k(e.failures):null],...o.map(([r,i])=>[r,n("span",{class:"said",children:i},r)])]}),a.length>0&&
n("details",{class:"handset-apps",children:[n("summary",{children:W(a.length,"app")}),n("p",{class:"said mono",children:a.map(([r,i])=>`${r.slice(4)} ${i}`).join(
`
`)})]})]})}var Ps=[{value:"tasks",name:"Last tasks"},{value:"log",name:"Log"},{value:"health",name:"Health"}];function $p({serial:e}){let t=Ps.find(o=>o.value===
P("tab"))?.value??"tasks";return n("section",{class:"handset-history","aria-label":"History",children:[n(wt,{label:"History",value:t,choices:Ps,onChoose:o=>F({tab:o===
"tasks"?"":o})}),t==="tasks"?n(Lp,{serial:e}):n(Bp,{serial:e,tab:t})]})}function Lp({serial:e}){let t=Z({load:a=>A(`/phones/${R(e)}/tasks`,{limit:100},a),isChangedBy:a=>a.
phone===e&&a.kind!=="task.step"},[e]),o=t.value.value?.items;return n(h,{children:[t.problem.value&&n(C,{problem:t.problem.value}),o?.length===0&&n(N,{icon:"lis\
t",title:"It has had no task yet",children:["As soon as it gets one, the task appears here. ",n("a",{href:y.submit(),children:"Submit a batch"})]}),o&&o.length>
0&&n(Hn,{tasks:o,label:`Tasks of ${e}`,onChanged:t.reload})]})}function Bp({serial:e,tab:t}){let o=Z({load:r=>A(`/phones/${R(e)}/log`,{limit:500},r),isChangedBy:r=>r.
phone===e&&r.kind!=="task.step"},[e]),a=o.value.value?.items;return n(h,{children:[o.problem.value&&n(C,{problem:o.problem.value}),a?.length===0&&n(N,{icon:"clo\
ck",title:"Nothing has happened to it yet",children:"Its tasks, and when it went away or was set aside, appear here."}),a&&a.length>0&&(t==="log"?n(Dn,{events:a,
label:`Log of ${e}`}):n(_s,{events:a}))]})}var Ts=["done","failed","cancelled","running"];function Un({counts:e}){let t=Math.max(1,e.tasks-(e.retried??0));return n("span",{class:"progress",role:"img","ar\
ia-label":Kt(e),children:Ts.map(o=>{let a=e[o]??0;return a===0?null:n("span",{class:`progress-part progress-${o}`,style:{width:`${100*a/t}%`}},o)})})}function Kt(e){
let t=Ts.filter(o=>(e[o]??0)>0).map(o=>`${k(e[o]??0)} ${o}`);return e.waiting>0&&t.push(`${k(e.waiting)} waiting`),t.join(", ")||"no tasks"}function Vn(e,t){return j(async o=>{let a=`/batches/${R(e.id)}:${o}`;if(o==="retry"){let r=await V("POST",a);return`${W(r.length,"task")} submitted again.`}t(await V(
"POST",a))})}function jn(e){let{batch:t,action:o,areIcons:a}=e,r={needs:"submit",owner:t.owner,disabled:o.isRunning.value},i=t.phase==="open"||t.phase==="paused",
s=l=>a?{label:l,kind:"quiet"}:{children:l};return n(h,{children:[t.phase==="open"&&n(J,{...r,icon:"pause",onClick:()=>{o.run("pause")},...s("Pause")}),t.phase===
"paused"&&n(J,{...r,icon:"play",onClick:()=>{o.run("resume")},...s("Let it go on")}),t.failed>0&&n(J,{...r,icon:"retry",onClick:()=>{o.run("retry")},...s("Retry\
 what failed")}),i&&n(Ge,{...r,name:"Cancel",icon:"stop",isIcon:a,question:`Cancel ${W(t.waiting+t.running,"task")} of ${t.name||t.id}? Running tasks end as soo\
n as they can.`,yes:"Cancel the batch",onConfirm:()=>{o.run("cancel")}})]})}function Ko(e){return[...e].sort((t,o)=>o.priority-t.priority||t.submitted_at-o.submitted_at)}function Ms(e,t){if(e.phase!=="open")return null;let o=e.waiting+e.
running,a=e.tasks-o;return a<1||o===0?null:o*Math.max(1,t-e.submitted_at)/a}function Kn(e){let{batch:t}=e,o=Vn(t,e.put),a=t.tasks-t.waiting-t.running;return n("li",{class:"batch",children:[n("div",{class:"batch-main",children:[n("div",{
class:"batch-name",children:[n("a",{class:"batch-link clip",href:y.batch(t.id),children:t.name||t.id}),n("span",{class:"batch-about clip",children:[t.name&&n("s\
pan",{class:"mono",children:[t.id," "]}),"by ",t.owner," \xB7 ",t.priority!==0&&`priority ${t.priority} \xB7 `,n(Ee,{at:t.submitted_at}),t.tags.map(r=>n("a",{class:"\
tag",href:y.work({tag:r}),children:r},r))]})]}),n("div",{class:"batch-progress",children:[n(Un,{counts:t}),n("span",{class:"batch-counts",children:[n("span",{class:"\
clip",children:Kt(t)}),n("span",{class:"num",children:[k(a),"/",k(t.tasks)]})]})]}),n("div",{class:"batch-state",children:[n(Pn,{phase:t.phase,failed:t.failed}),
n(Go,{batch:t})]}),n("div",{class:"batch-actions",children:n(jn,{batch:t,action:o,areIcons:!0})})]}),t.deadline_warning&&n("p",{class:"batch-warning",children:[
n(v,{name:"warning",size:14})," ",n("span",{class:"said",children:t.deadline_warning})]}),o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n("p",
{class:"batch-result",role:"status",children:o.result.value})]})}function Go({batch:e}){let t=nt(()=>{let a=Ms(e,be.value);return a===null?"":`about ${rt(a)} le\
ft`}),o=e.deadline!=null&&e.phase==="open"&&e.deadline<be.value;return n("span",{class:"batch-left quiet",children:o?n(q,{tone:"bad",children:"past its deadline"}):
t})}function Rs({batches:e,put:t}){return n("section",{class:"batch-section","aria-labelledby":"queue-title",children:[n("h2",{id:"queue-title",children:"Queue"}),e.
length===0&&n("p",{class:"quiet",children:"Nothing waits. What is submitted starts at once."}),n("ol",{class:"batch-list panel",children:e.map(o=>n(Kn,{batch:o,
put:t},o.id))})]})}function Gt(e){return n(h,{children:[n(D,{title:"Work",about:e.about,actions:e.actions??(pe("submit")===null?n("a",{class:"button button-primary",href:y.submit(),
children:[n(v,{name:"plus"})," Submit a batch"]}):n(_e,{needs:"submit",what:"Submitting"}))}),n("nav",{class:"work-tabs","aria-label":"Work",children:[n("a",{class:"\
work-tab",href:y.work(),"aria-current":e.tab==="batches"?"page":void 0,children:"Batches"}),n("a",{class:"work-tab",href:y.schedules(),"aria-current":e.tab==="s\
chedules"?"page":void 0,children:"Schedules"})]})]})}var Yo=50,Fp=e=>e.batch!=null&&e.kind!=="task.step";async function Np(e){let t=(l,c)=>A("/batches",{phase:l,limit:c,tag:P("tag"),owner:P("owner")},e),[o,a,r,i]=await Promise.
all([t("open",1e3),t("paused",1e3),t("ended",Yo),t("cancelled",Yo)]),s=[...r.items,...i.items].sort((l,c)=>c.submitted_at-l.submitted_at);return{queue:Ko([...o.
items,...a.items]),ended:s,cursor:r.next_cursor??null}}function $s(){let e=Z({load:Np,isChangedBy:Fp},[P("tag"),P("owner")]),t=T([]),o=T(void 0),a=e.value.value,
r=o.value===void 0?a?.cursor??null:o.value,i=j(async()=>{let m=await A("/batches",{phase:"ended",limit:Yo,cursor:r});t.value=[...t.value,...m.items],o.value=m.next_cursor??
null}),s=P("q"),l=m=>{if(a===null)return;let p=g=>g.id===m.id?m:g;e.put({...a,queue:Ko(a.queue.map(p)),ended:a.ended.map(p)}),e.reload()};if(a===null)return n(h,
{children:[n(Gt,{tab:"batches"}),e.problem.value&&n(C,{problem:e.problem.value})]});let c=new Set(a.ended.map(m=>m.id)),u=As(a.queue,s),d=As([...a.ended,...t.value.
filter(m=>!c.has(m.id))],s),f=a.queue.length===0&&a.ended.length===0&&!P("tag")&&!P("owner");return n(h,{children:[n(Gt,{tab:"batches",about:n(Op,{queue:a.queue})}),
e.problem.value&&n(C,{problem:e.problem.value}),f?n(N,{icon:"layers",title:"No batch yet",action:n(je,{text:'manyhands submit --goal "Turn on dark mode." --name\
 try'}),children:["A batch is a list of goals in plain language. ",n("a",{href:y.submit(),children:"Submit one here"}),", or from a terminal:"]}):n(h,{children:[
n("div",{class:"toolbar",children:[n(xt,{value:s,label:"Search batches",placeholder:"Name, id, owner, tag",onInput:m=>F({q:m})}),(P("tag")||P("owner"))&&n(x,{icon:"\
cross",onClick:()=>F({tag:"",owner:""}),children:P("tag")?`tag ${P("tag")}`:`of ${P("owner")}`})]}),n(Rs,{batches:u,put:l}),n("section",{class:"batch-section","\
aria-labelledby":"ended-title",children:[n("h2",{id:"ended-title",children:"Ended"}),d.length===0&&n("p",{class:"quiet",children:"No batch has ended yet."}),n("\
ul",{class:"batch-list panel",children:d.map(m=>n(Kn,{batch:m,put:l},m.id))}),r!==null&&s===""&&n(x,{onClick:()=>{i.run()},disabled:i.isRunning.value,children:"\
Show older ones"}),i.problem.value&&n(C,{problem:i.problem.value})]})]})]})}function Op({queue:e}){let t=e.reduce((a,r)=>a+r.waiting,0),o=e.reduce((a,r)=>a+r.running,
0);return n(h,{children:[W(e.length,"open batch","open batches")," \xB7 ",W(o,"task")," running \xB7 ",t," waiting"]})}function As(e,t){let o=t.trim().toLowerCase();
return o===""?e:e.filter(a=>[a.id,a.name,a.owner,...a.tags].join(`
`).toLowerCase().includes(o))}var Ls=1e3;function Bs({batch:e}){let t=P("events")==="1";return n("section",{class:"event-section",children:[n(x,{icon:t?"up":"down",kind:"quiet","aria-expande\
d":t,onClick:()=>F({events:t?"":"1"}),children:"What happened"}),t&&n(Ip,{batch:e})]})}function Ip({batch:e}){let t=T([]);return S(()=>{let o=[],a=0,r=new ze({path:"\
/events",query:()=>({batch:e,after:0}),onEvent:({data:i})=>{let s=JSON.parse(i);s.kind!=="task.step"&&(o.unshift(s),o.length>Ls&&(o=o.slice(0,Ls)),a||=requestAnimationFrame(
()=>{a=0,t.value=[...o]}))}});return()=>{r.close(),cancelAnimationFrame(a)}},[e]),n(Dn,{events:t.value,label:`Events of ${e}`})}var Qo=500,Jp=1e3,Zo={"":{query:{},holds:()=>!0},waiting:{query:{phase:"waiting"},holds:e=>e.phase==="waiting"},paused:{query:{phase:"paused"},holds:e=>e.phase===
"paused"},running:{query:{phase:"running"},holds:e=>e.phase==="running"},done:{query:{is_done:!0},holds:e=>e.is_done===!0},failed:{query:{is_done:!1},holds:bt},
cancelled:{query:{ending:"cancelled"},holds:e=>e.ending==="cancelled"}},ea=class{tasks=E([]);problem=E(null);isLoaded=E(!1);#t;#e;#n=null;#a=!1;#o;#i=new AbortController;constructor(t,o){
this.#t=t,this.#e=o in Zo?o:""}open(){let t=ke({onEvent:o=>this.#l(o),onOpen:()=>this.reload()});return this.#s(null,Qo),()=>{t(),clearTimeout(this.#o),this.#i.
abort()}}more=()=>{this.#n!==null&&this.#s(this.#n,Qo)};reload=()=>{this.#o??=setTimeout(()=>{this.#o=void 0,this.#s(null,Math.min(1e3,Math.max(Qo,this.tasks.value.
length)))},Jp)};put=t=>{this.tasks.value=this.tasks.value.map(o=>o.id===t.id?t:o).filter(this.#r)};get#r(){return Zo[this.#e].holds}async#s(t,o){if(!this.#a){this.#a=
!0;try{let a={...this.#t,...Zo[this.#e].query,cursor:t,limit:o},r=await A("/tasks",a,this.#i.signal),i=r.items.filter(this.#r);if(t!==null)this.tasks.value=[...this.
tasks.value,...i],this.#n=r.next_cursor??null;else{let s=this.tasks.value.slice(i.length),l=r.next_cursor==null,c=new Set(i.map(u=>u.id));this.tasks.value=l?i:[
...i,...s.filter(u=>!c.has(u.id))],(l||s.length===0)&&(this.#n=r.next_cursor??null)}this.isLoaded.value=!0,this.problem.value=null}catch(a){this.#i.signal.aborted||
(this.problem.value=ee(a))}finally{this.#a=!1}}}#l(t){if(t.task==null||this.#t.batch&&t.batch!==this.#t.batch)return;let o=this.tasks.value.findIndex(s=>s.id===
t.task);if(o<0){t.kind!=="task.step"&&this.reload();return}let r={"task.paused":"paused","task.resumed":"waiting"}[t.kind],i=[...this.tasks.value];i[o]={...i[o],
...t.data,...r?{phase:r}:{}},this.tasks.value=i.filter(this.#r)}};function Fs(e,t){let o=X(()=>new ea(e,t),[JSON.stringify(e),t]);return S(()=>o.open(),[o]),o}var Xp=["csv","json","jsonl","junit","html"];function Ns({id:e}){let t=Z({load:a=>A(`/batches/${R(e)}`,{},a),isChangedBy:a=>a.batch===e&&a.kind!=="task.step"},[
e]),o=t.value.value;return o===null?n(h,{children:[n(D,{title:e,crumbs:[{name:"Work",href:y.work()}]}),t.problem.value&&n(C,{problem:t.problem.value})]}):n(h,{children:[
t.problem.value&&n(C,{problem:t.problem.value}),n(Wp,{batch:o,put:t.put})]})}function Wp({batch:e,put:t}){let o=Vn(e,t);return n(h,{children:[n(D,{crumbs:[{name:"\
Work",href:y.work()}],title:e.name||e.id,about:n(h,{children:[n(Pn,{phase:e.phase,failed:e.failed})," ",n("span",{class:"mono",children:e.id})," of ",e.owner]}),
actions:n(jn,{batch:e,action:o,areIcons:!1})}),o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n(de,{children:o.result.value}),e.deadline_warning&&
n(de,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})}),n("div",{class:"batch-large-progress panel",children:[n("div",{class:"batch-large\
-words",children:[n("span",{children:Kt(e)}),n(Go,{batch:e})]}),n(Un,{counts:e})]}),n(Pe,{facts:[["Submitted",te(e.submitted_at)],["Ended",e.ended_at==null?null:
te(e.ended_at)],["Deadline",e.deadline==null?null:te(e.deadline)],["Priority",String(e.priority)],["Phones",e.phones?n("span",{class:"said mono",children:e.phones}):
"all"],["Tags",e.tags.length>0&&e.tags.map(a=>n("a",{class:"tag",href:y.work({tag:a}),children:a},a))],["Schedule",e.schedule&&n("a",{href:y.schedules(),children:e.
schedule})],["Results",n(qp,{batch:e.id},"results")]]}),n(zp,{batch:e}),n(Bs,{batch:e.id})]})}function qp({batch:e}){return n("span",{class:"downloads",children:Xp.
map(t=>n("a",{href:Se(`/batches/${R(e)}/results`,{format:t}),download:`${e}.${t}`,children:t},t))})}function zp({batch:e}){let t=P("state"),o=P("q").trim().toLowerCase(),
a=Fs({batch:e.id},t),r=o?a.tasks.value.filter(i=>`${i.id}
${i.goal}
${i.phone}
${i.reason}`.toLowerCase().includes(o)):a.tasks.value;return n(h,{children:[n("div",{class:"toolbar",children:[n(xt,{value:P("q"),label:"Search tasks",placeholder:"\
Id, goal, phone, reason",onInput:i=>F({q:i})}),n(Tn,{label:"States",chosen:t,all:e.tasks,choices:[{value:"running",name:"Running",count:e.running},{value:"waiti\
ng",name:"Waiting",count:e.phase==="paused"?null:e.waiting},{value:"done",name:"Done",count:e.done},{value:"failed",name:"Failed",count:e.failed},{value:"cancel\
led",name:"Cancelled",count:e.cancelled??0}],onChoose:i=>F({state:i})})]}),a.problem.value&&n(C,{problem:a.problem.value}),a.isLoaded.value&&r.length===0?n(N,{icon:"\
list",title:"No task is in this state now",children:n("button",{type:"button",class:"link-button",onClick:()=>F({state:"",q:""}),children:["Show all ",k(e.tasks)]})}):
n(Hn,{tasks:r,label:`Tasks of ${e.id}`,owner:e.owner,onChanged:a.reload,onEnd:a.more})]})}var Dp=[["none",null],["in 1 hour",1],["in 2 hours",2],["in 8 hours",8],["in a day",24],["in a week",168]];function Gn(e){let{fields:t}=e,o=a=>e.onChange({...t,
...a});return n(h,{children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Name"}),n("input",{class:"input",maxLength:200,value:t.
name,placeholder:"nightly regression",onInput:a=>o({name:a.currentTarget.value})})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Phones"}),n("input",{class:"input mono",maxLength:500,value:t.phones,placeholder:"model=Pixel 8, android>=13",spellcheck:!1,onInput:a=>o({phones:a.currentTarget.
value})}),n("span",{class:"labelled-help",children:"A selector by labels. Empty: all phones."})]}),n("div",{class:"field-pair",children:[n("label",{class:"label\
led",children:[n("span",{class:"labelled-name",children:"Priority"}),n("input",{class:"input",type:"number",min:-100,max:100,step:1,value:t.priority,onInput:a=>o(
{priority:Math.round(a.currentTarget.valueAsNumber)||0})})]}),e.hasDeadline!==!1&&n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Deadline"}),n("select",{class:"input",value:String(t.hours),onChange:a=>o({hours:a.currentTarget.value==="null"?null:Number(a.currentTarget.value)}),children:Dp.
map(([a,r])=>n("option",{value:String(r),children:a},a))})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Tags"}),n("inpu\
t",{class:"input",defaultValue:t.tags.join(", "),placeholder:"nightly, release-4.2",onInput:a=>o({tags:a.currentTarget.value.split(",").map(r=>r.trim()).filter(
Boolean)})}),n("span",{class:"labelled-help",children:"Words, with commas between them."})]})]})}function Yn(e){let t=B(null),o=B(null),a=Math.max(e.value.split(`
`).length,12),r=new Map;for(let{line:s,text:l}of e.mistakes)s!==null&&r.set(s,[...r.get(s)??[],l]);S(()=>{o.current&&t.current&&(o.current.scrollTop=t.current.scrollTop)});
let i=s=>{let l=t.current;if(l===null)return;let c=e.value.split(`
`),u=c.slice(0,s-1).reduce((d,f)=>d+f.length+1,0);l.focus(),l.setSelectionRange(u,u+(c[s-1]?.length??0)),l.scrollTop=Math.max(0,(s-4)*Hp)};return n("div",{class:"\
editor",children:[n("div",{class:"editor-frame",children:[n("div",{ref:o,class:"editor-gutter","aria-hidden":"true",children:Array.from({length:a},(s,l)=>n("spa\
n",{class:r.has(l+1)?"editor-wrong":"",title:r.get(l+1)?.join(`
`),children:l+1},l))}),n("textarea",{ref:t,class:"editor-text mono","aria-label":e.label,"aria-invalid":e.mistakes.length>0,"aria-describedby":"editor-mistakes",
placeholder:e.placeholder,value:e.value,rows:Math.min(a,24),wrap:"off",spellcheck:!1,onInput:s=>e.onInput(s.currentTarget.value),onScroll:s=>{o.current&&(o.current.
scrollTop=s.currentTarget.scrollTop)}})]}),n("ul",{id:"editor-mistakes",class:"editor-mistakes","aria-live":"polite",children:e.mistakes.map(({line:s,text:l})=>n(
"li",{class:"editor-mistake",children:[n(v,{name:"warning",size:14}),s!==null&&n("button",{type:"button",class:"link-button",onClick:()=>i(s),children:["line ",
s]}),n("span",{class:"said",children:l})]},`${s} ${l}`))})]})}var Hp=20;var Qn={name:"",priority:0,tags:[],hours:null,phones:""};function Yt(e){return e.split(`
`).map(t=>t.trim()).filter(t=>t!==""&&!t.startsWith("#"))}function Zn(e){return e.kind==="goals"?Yt(e.text).length===0:e.text.trim()===""}function ta(e){return e.
map((t,o)=>({id:`goal-${o+1}`,goal:t}))}async function Os(e,t){return await(await ve(Ws("/batches:check",e),{...Xs(e),method:"POST",signal:t})).json()}async function Is(e,t){
let o=Xs(e),a={"Idempotency-Key":t};return await(await ve(Ws("/batches",e),{...o,method:"POST",headers:a})).json()}function Js(e){return e.hours===null?null:Math.
round(Date.now()/1e3+e.hours*3600)}function Xs(e){if(e.kind==="yaml")return{text:{content:e.text,type:"application/yaml"}};let{name:t,priority:o,tags:a,phones:r}=e.
fields,i=Js(e.fields);return{body:{tasks:ta(Yt(e.text)),name:t,priority:o,tags:a,phones:r,...i===null?{}:{deadline:i}}}}function Ws(e,t){if(t.kind!=="yaml")return e;
let{name:o,priority:a,tags:r,phones:i}=t.fields,s=new URLSearchParams;o&&s.set("name",o),a!==0&&s.set("priority",String(a));for(let u of r)s.append("tag",u);i&&
s.set("phones",i);let l=Js(t.fields);l!==null&&s.set("deadline",String(l));let c=s.toString();return c?`${e}?${c}`:e}var Up=[["every night at 2:00","0 2 * * *"],["on weekdays at 7:30","30 7 * * MON-FRI"],["every quarter of an hour","every 15m"],["every 6 hours","every 6h"]];function qs(){
let e=T(""),t=T(Qn),o=T("0 2 * * *"),a=T(Intl.DateTimeFormat().resolvedOptions().timeZone||"UTC"),r=T("skip"),i=T("once"),s=j(async()=>{let{name:c,priority:u,tags:d,
phones:f}=t.value;await V("POST","/schedules",{name:c,when:o.value,zone:a.value,overlap:r.value,missed:i.value,batch:{tasks:ta(Yt(e.value)),name:c,priority:u,tags:d,
phones:f}}),le(["work","schedules"])}),l=Yt(e.value).length>0&&t.value.name.trim()!==""&&pe("submit")===null;return n(h,{children:[n(D,{crumbs:[{name:"Work",href:y.
work()},{name:"Schedules",href:y.schedules()}],title:"Make a schedule"}),n(_e,{needs:"submit",what:"Making schedules"}),n("form",{class:"submit-form",onSubmit:c=>{
c.preventDefault(),l&&s.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"field-pair",children:[n("label",{class:"labelled",children:[n("s\
pan",{class:"labelled-name",children:"When"}),n("input",{class:"input mono",value:o.value,required:!0,onInput:c=>o.value=c.currentTarget.value}),n("span",{class:"\
labelled-help",children:["An interval, such as ",n("code",{children:"every 15m"}),", or a cron line: minute hour day month weekday."]})]}),n("label",{class:"lab\
elled",children:[n("span",{class:"labelled-name",children:"Time zone"}),n("input",{class:"input",value:a.value,required:!0,onInput:c=>a.value=c.currentTarget.value}),
n("span",{class:"labelled-help",children:"By its IANA name. Intervals need none."})]})]}),n("div",{class:"chips",role:"group","aria-label":"Times that many use",
children:Up.map(([c,u])=>n("button",{type:"button",class:"chip","aria-pressed":o.value===u,onClick:()=>o.value=u,children:c},u))}),n(Yn,{value:e.value,label:"Go\
als, one a line",placeholder:`Turn on dark mode.
Set an alarm for 6:30.`,mistakes:[],onInput:c=>e.value=c}),n("p",{class:"quiet",children:["Schedules of YAML files are made by ",n("code",{children:"manyhands s\
chedules add NAME FILE --when LINE"}),"."]})]}),n("div",{class:"submit-side",children:[n(Gn,{fields:t.value,hasDeadline:!1,onChange:c=>t.value=c}),n("label",{class:"\
labelled",children:[n("span",{class:"labelled-name",children:"If the last batch has not ended"}),n("select",{class:"input",value:r.value,onChange:c=>r.value=c.currentTarget.
value,children:[n("option",{value:"skip",children:"submit nothing"}),n("option",{value:"queue",children:"submit as soon as it has"}),n("option",{value:"cancel_o\
ld",children:"cancel it"})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Times that were missed"}),n("select",{class:"in\
put",value:i.value,onChange:c=>i.value=c.currentTarget.value,children:[n("option",{value:"once",children:"submit one batch for all"}),n("option",{value:"skip",children:"\
submit nothing"})]})]}),s.problem.value&&n(C,{problem:s.problem.value}),n(x,{type:"submit",kind:"primary",icon:"plus",disabled:!l||s.isRunning.value,children:"M\
ake the schedule"}),!l&&pe("submit")===null&&n("p",{class:"labelled-help",children:"It needs a name and a goal."})]})]})]})}function zs(){let e=Z({load:r=>A("/schedules",{limit:500},r),isChangedBy:r=>r.kind.startsWith("schedule."),pollMs:3e4},[]),t=e.value.value?.items,o=pe("submit")===
null,a=o?n("a",{class:"button button-primary",href:y.newSchedule(),children:[n(v,{name:"plus"})," Make a schedule"]}):n(_e,{needs:"submit",what:"Making schedule\
s"});return n(h,{children:[n(Gt,{tab:"schedules",actions:a}),e.problem.value&&n(C,{problem:e.problem.value}),t?.length===0&&n(N,{icon:"clock",title:"No schedule\
 yet",action:n(je,{text:'manyhands schedules add nightly tasks.yaml --when "0 2 * * *" --zone Europe/Berlin'}),children:["A schedule submits the same batch at s\
et times. ",o&&n("a",{href:y.newSchedule(),children:"Make one here"}),o&&", or from a terminal:"]}),n("ul",{class:"schedules",children:t?.map(r=>n(Vp,{schedule:r,
reload:e.reload},r.id))})]})}function Vp({schedule:e,reload:t}){let o=j(async s=>{let l=`/schedules/${R(e.id)}`;s==="remove"?await V("DELETE",l):await V("POST",
`${l}:${s}`),t()}),a={needs:"submit",owner:e.owner,disabled:o.isRunning.value},r=e.next_times??[],i=r[0];return n("li",{class:"schedule panel",children:[n("div",
{class:"schedule-head",children:[n("div",{class:"schedule-name",children:[n("h2",{class:"said",children:e.name}),n("p",{class:"quiet",children:[n("code",{class:"\
said",children:e.when}),!e.when.startsWith("every")&&` in ${e.zone}`," \xB7 ",W(e.batch.tasks.length,"task")," \xB7 by ",n("span",{class:"said",children:e.owner})]})]}),
n("div",{class:"schedule-actions",children:[e.paused?n(J,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"Let it go on"}):n(J,{...a,icon:"pause",onClick:()=>{
o.run("pause")},children:"Pause"}),n(Ge,{...a,name:"Delete",icon:"cross",question:`Delete the schedule ${e.name}? Batches that it has submitted stay.`,yes:"Dele\
te the schedule",onConfirm:()=>{o.run("remove")}})]})]}),n("div",{class:"schedule-times",children:[e.paused?n(q,{tone:"warn",icon:"pause",children:"paused"}):n(
"span",{children:["Next ",i!==void 0&&n("strong",{children:["in ",rt(i-be.value)]}),n("span",{class:"quiet",children:[" ",r.slice(0,3).map(te).join(" \xB7 ")]})]}),
e.last_batch&&n("span",{class:"quiet",children:["Last"," ",n("a",{href:y.batch(e.last_batch),children:e.last_batch})," ",e.last_due!=null&&n(Ee,{at:e.last_due})]}),
n("span",{class:"quiet",children:[k(e.submitted??0)," submitted, ",k(e.skipped??0)," skipped"]})]}),e.problem&&n("p",{class:"batch-warning",children:[n(v,{name:"\
warning",size:14})," ",n("span",{class:"said",children:e.problem})]}),o.problem.value&&n(C,{problem:o.problem.value})]})}var jp=400,Kp=[{value:"goals",name:"Goals"},{value:"yaml",name:"YAML"}],Gp=`Turn on dark mode.
Read the last message from Maria and reply to it.`,Yp=`tasks:
  - id: dark
    goal: Turn on dark mode.
  - id: alarm
    goal: Set an alarm for 6:30.`;function Ds(){let e=P("as")==="yaml"?"yaml":"goals",t=T({goals:"",yaml:""}),o=T(Qn),a=T(!1),r={kind:e,text:t.value[e],fields:o.
value},i=Zp(r),s=X(()=>crypto.randomUUID(),[JSON.stringify(r)]),l=j(async()=>{let m=await Is(r,s);le(["batches",m.id])}),c=(m,p=e)=>{t.value={...t.value,[p]:m},
l.forget()},u=async m=>{m!==void 0&&(c(await m.text(),"yaml"),o.value.name===""&&(o.value={...o.value,name:m.name.replace(/\.ya?ml$/i,"")}),F({as:"yaml"}))},d=i.
found?.mistakes??[],f=!Zn(r)&&d.length===0&&pe("submit")===null;return n("div",{class:`submit${a.value?" submit-over":""}`,onDragOver:m=>{m.preventDefault(),a.value=
!0},onDragLeave:()=>a.value=!1,onDrop:m=>{m.preventDefault(),a.value=!1,u(m.dataTransfer?.files[0])},children:[n(D,{crumbs:[{name:"Work",href:y.work()}],title:"\
Submit a batch"}),n(_e,{needs:"submit",what:"Submitting"}),n("form",{class:"submit-form",onSubmit:m=>{m.preventDefault(),f&&l.run()},onKeyDown:m=>{m.key==="Ente\
r"&&(m.ctrlKey||m.metaKey)&&f&&l.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"submit-kinds",children:[n(wt,{label:"What you write",value:e,
choices:Kp,onChoose:m=>F({as:m==="yaml"?m:""})}),n("label",{class:"button submit-file",children:["Choose a YAML file",n("input",{type:"file",class:"unseen",accept:"\
.yaml,.yml,application/yaml,text/yaml",onChange:m=>{u(m.currentTarget.files?.[0])}})]}),n("span",{class:"quiet submit-hint",children:"or drop one anywhere here"})]}),
n(Yn,{value:t.value[e],label:e==="goals"?"Goals, one a line":"Tasks in YAML",placeholder:e==="goals"?Gp:Yp,mistakes:d,onInput:m=>c(m)},e),i.problem&&n(C,{problem:i.
problem}),n(Qp,{check:i.found,isEmpty:Zn(r)})]}),n("div",{class:"submit-side",children:[n(Gn,{fields:o.value,onChange:m=>o.value=m}),l.problem.value&&n(C,{problem:l.
problem.value}),n(x,{type:"submit",kind:"primary",icon:"plus",disabled:!f||l.isRunning.value,children:l.isRunning.value?"Submitting\u2026":i.found&&f?`Submit ${W(
i.found.tasks,"task")}`:"Submit"})]})]})]})}function Qp({check:e,isEmpty:t}){return t?n("p",{class:"quiet",children:["Say each goal as you would to a person. Ta\
sks with checks, answers or hints are written in YAML, as"," ",n("code",{children:"manyhands run"})," reads it."]}):e===null||e.mistakes.length>0?null:n(h,{children:[
n("p",{class:"submit-good",children:[W(e.tasks,"task")," without a mistake."]}),e.unmatched.map(o=>n(de,{tone:"warn",children:n("p",{class:"said",children:["No \
phone of the fleet fits ",o.task===null?"the batch's":`${o.task}'s`," selector ",n("code",{children:o.phones}),".",o.task===null?" Its tasks wait":" It waits","\
 until such a phone comes."]})},`${o.task} ${o.phones}`)),e.deadline_warning&&n(de,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})})]})}
function Zp(e){let t=T(null),o=T(null);return S(()=>{if(Zn(e)){t.value=null,o.value=null;return}let a=new AbortController,r=setTimeout(()=>{Os(e,a.signal).then(
i=>{t.value=i,o.value=null},i=>{a.signal.aborted||(o.value=ee(i))})},jp);return()=>{clearTimeout(r),a.abort()}},[JSON.stringify(e)]),{found:t.value,problem:o.value}}function Hs({id:e}){let t=e.split(".")[0]??e,o=Z({load:s=>A(`/tasks/${R(e)}`,{},s),isChangedBy:s=>s.task===e},[e]),a=Z({load:s=>A(`/batches/${R(t)}`,{},s)},[t]),
r=[{name:"Work",href:y.work()},{name:a.value.value?.name||t,href:y.batch(t)}],i=o.value.value;return n(h,{children:[i===null?n(D,{title:e,crumbs:r}):n(eu,{task:i,
owner:a.value.value?.owner,crumbs:r,put:o.put}),o.problem.value&&n(C,{problem:o.problem.value})]})}function eu(e){let{task:t}=e,o=j(async r=>{let i=await V("POS\
T",`/tasks/${R(t.id)}:${r}`);r==="retry"?le(["tasks",i.id]):e.put(i)}),a={needs:"submit",disabled:o.isRunning.value,...e.owner===void 0?{}:{owner:e.owner}};return n(
h,{children:[n(D,{crumbs:e.crumbs,title:t.goal,about:n(h,{children:[n(Cn,{task:t})," ",n("span",{class:"mono",children:t.id})]}),actions:n(h,{children:[t.episode&&
n("a",{class:"button button-primary",href:y.episode(t.episode),children:[n(v,{name:"play"})," ",t.phase==="running"?"Watch it live":"Open its film"]}),t.phase===
"waiting"&&n(J,{...a,icon:"pause",onClick:()=>{o.run("pause")},children:"Pause"}),t.phase==="paused"&&n(J,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"\
Let it go on"}),bt(t)&&n(J,{...a,icon:"retry",onClick:()=>{o.run("retry")},children:"Retry"}),t.phase!=="ended"&&n(Ge,{...a,name:"Cancel",icon:"stop",question:`\
Cancel the task ${t.id}?`,yes:"Cancel the task",onConfirm:()=>{o.run("cancel")}})]})}),o.problem.value&&n(C,{problem:o.problem.value}),t.phase==="ended"&&t.reason&&
n(de,{tone:t.is_done?"good":"warn",children:[n("p",{class:"note-title",children:Ve(t.ending??"")}),n("p",{class:"said",children:t.reason})]}),t.answer&&n(de,{tone:"\
quiet",children:[n("p",{class:"note-title",children:"Answer"}),n("p",{class:"said",children:t.answer})]}),n(Pe,{facts:[["Phone",t.phone&&n("a",{href:y.phone(t.phone),
children:t.phone})],["Began",t.started_at==null?null:te(t.started_at)],["Ended",t.ended_at==null?null:te(t.ended_at)],["Took",t.ended_at==null||t.started_at==null?
null:O(t.ended_at-t.started_at)],["Steps",t.steps??(t.step==null?null:t.step+1)],["Now",t.doing&&n("span",{class:"said",children:t.doing})],["Attempts",t.attempts||
null],["Priority",String(t.priority)],["Check",t.verified==null?null:t.verified?"holds":"does not hold"],["Retry of",t.retry_of&&n("a",{href:y.task(t.retry_of),
children:t.retry_of})]]})]})}function Us(){let e=Le.value.path,t=tu(e);return S(()=>{Sn.value=t.name},[t.name]),S(()=>{scrollTo({top:0})},[e.join("/")]),n(h,{children:t.page()})}function tu(e){
let[t="fleet",o=""]=e;switch(t){case"fleet":return{name:"Fleet",page:()=>n(Br,{})};case"phones":return{name:o,page:()=>n(Cs,{serial:o},o)};case"work":return nu(
e);case"batches":return{name:o,page:()=>n(Ns,{id:o},o)};case"tasks":return{name:o,page:()=>n(Hs,{id:o},o)};case"attention":return{name:"Attention",page:()=>n(kr,
{})};case"episodes":return{name:o,page:()=>n(xs,{id:o},o)};case"health":return{name:"Health",page:()=>n(Yr,{})};default:return{name:"No such page",page:()=>n(Vs,
{})}}}function nu(e){switch(e.slice(1).join("/")){case"":return{name:"Work",page:()=>n($s,{})};case"submit":return{name:"Submit a batch",page:()=>n(Ds,{})};case"\
schedules":return{name:"Schedules",page:()=>n(zs,{})};case"schedules/new":return{name:"Make a schedule",page:()=>n(qs,{})};default:return{name:"No such page",page:()=>n(
Vs,{})}}}function Vs(){return n(h,{children:[n(D,{title:"There is no such page"}),n(N,{icon:"search",title:"This address names no page of the console",children:[
"Perhaps the address was cut off when it was copied. The ",n("a",{href:y.fleet(),children:"fleet"})," is the first page."]})]})}function js({problem:e}){let t=T(!1),o=async a=>{a.preventDefault();let r=a.currentTarget,i=String(new FormData(r).get("token")??"").trim();i!==""&&(t.value=!0,
await wo(i),t.value=!1)};return n("main",{class:"sign-in",children:n("form",{class:"sign-in-form panel",onSubmit:a=>{o(a)},children:[n("h1",{children:n(En,{})}),
n("p",{class:"quiet",children:"Sign in to this service with your token."}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Token"}),
n("input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&n(C,{problem:e}),n(x,{type:"submit",
kind:"primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),n("div",{class:"sign-in-help quiet",children:[n("p",{children:["The first start \
of the service prints its token, and keeps it in the file ",n("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),n(je,{text:"many\
hands tokens make YOUR-NAME --role submit"})]})]})})}function Ks(){let e=Wa.value;return e.kind==="asking"?n("main",{class:"shell-wait","aria-busy":"true",children:n("p",{class:"quiet",children:[n(v,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="out"?n(js,{problem:e.problem}):n(ou,{})}function ou(){return S(()=>{So([ja(),Ga()]);let e=lr(),t=tr();return()=>{
t(),So([]),e(),Ka(),Ya()}},[]),n("div",{class:"shell",children:[n("a",{class:"skip-link",href:"#page",onClick:au,children:"Skip to the page"}),n(hr,{}),n("div",
{class:"shell-page",children:[n(nr,{}),n("main",{id:"page",tabIndex:-1,children:n(Us,{})})]}),n(fr,{})]})}function au(e){e.preventDefault(),document.getElementById(
"page")?.focus()}vo();Ua();za();fa(n(Ks,{}),document.getElementById("app"));})();
