"use strict";(()=>{var L,yr,wn,we,bn,Bt,vr,Ot,br,_n,xn,Ai,it=Symbol.for("pv"),It={},Xt=[],Fi=/^m(i|n|o|s|text|space)$/,kn=Array.isArray,Sn=Xt.slice,Re=Object.assign;function Te(e){
e&&e.parentNode&&e.remove()}function xr(e,t,n){var o,a,i,s={},l=arguments.length;for(i in t)i=="key"?o=t[i]:i=="ref"&&typeof e!="function"?a=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?Sn.call(arguments,2):n),at(e,s,o,a,null)}function at(e,t,n,o,a){var i={type:e,props:t,key:n,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:it,__v:a||++yr,__i:-1,__u:0};return!a&&L.vnode&&L.
vnode(i),i}function x(e){return e.children}function qe(e,t){this.props=e,this.context=t,this.__g=0}function _e(e,t){if(t==null)return e.__&&_e(e.__,e.__i+1);for(var n;t<e.
__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:_e(e)}function Oi(e){var t,n=e.__v,o=n.__e,a=[],i=[],s=e.__P;
s&&((t=Re({constructor:it},n)).__v=n.__v+1,L.vnode&&L.vnode(t),En(s,t,n,e.__n,s.namespaceURI,32&n.__u?[o]:null,a,o||_e(n),32&n.__u,i),t.__v=n.__v,t.__.__k[t.__i]=
t,Tr(a,t,i),n.__=n.__e=null,t.__e!=o&&wr(t))}function wr(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
wr(e)}function hr(e){(8&e.__g||(e.__g|=8,we.push(e),Bt++))&&bn==L.debounceRendering||((bn=L.debounceRendering)||queueMicrotask)(_r)}function _r(){try{for(var e,
t=1;we.length;)we.length>t&&we.sort(vr),e=we.shift(),t=we.length,8&e.__g&&Oi(e)}finally{(Bt=we.length)&&(bn||queueMicrotask)(_r)}}function kr(e,t,n,o,a,i,s,l,c,p,d){
var f,h,u,m,g,y,R=o.__k||Xt,b=t.length;for(c=Ni(n,t,R,c,b),f=0;f<b;f++)(u=n.__k[f])!=null&&(h=~u.__i&&R[u.__i]||It,u.__i=f,y=En(e,u,h,a,i,s,l,c,p,d),m=u.__e,(h.
ref!=u.ref||8&h.__u)&&(h.ref&&Tn(h.ref,null,u,h),u.ref&&d.push(u.ref,u.__c||m,u)),g=g||m,4&u.__u?(c=Sr(u,c,e,!h.__v),h.__e&&(h.__e=null)):typeof u.type=="functi\
on"&&y!==void 0?c=y:m&&(c=m.nextSibling),u.__u&=-21);return n.__e=g,c}function Ni(e,t,n,o,a){var i,s,l,c,p,d,f,h,u,m=n.length,g=m,y=0,R=0,b=e.__k=Array(a);for(i=
0;i<a;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=b[i]=at(null,s):kn(s)?s=b[i]=at(x,{children:s}):
s.constructor===it&&s.__b?s=b[i]=at(s.type,s.props,s.key,s.ref,s.__v):b[i]=s,c=i+y,s.__=e,s.__b=e.__b+1,l=null,~(p=s.__i=Bi(s,n,c,g))&&(g--,(l=n[p])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,p==c-1?y--:p==c+1?y++:p!=c&&(p>c?y--:y++,R=1)):(~p||(a>m?y--:a<m&&y++),typeof s.type!="function"&&(s.__u|=4))):b[i]=null;if(R){for(d=[],f=[],
i=0;i<a;i++)if((s=b[i])&&16&s.__u){for(y=0,h=d.length;y<h;)d[u=y+h>>1]<s.__i?y=u+1:h=u;d[y]=s.__i,f[i]=y+1}for(y=d.length;i--;)f[i]&&(f[i]==y?y--:b[i].__u|=4)}if(g)
for(i=0;i<m;i++)!(l=n[i])||2&l.__u||(l.__e==o&&(o=_e(l)),Rn(l,l));return o}function Sr(e,t,n,o){var a,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(a=e.__k)for(i=0;i<a.length;i++)a[i]&&(a[i].__=e,t=Sr(a[i],t,n,!1));return t}for(t&&!t.parentNode&&(t=_e(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!o&&n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function Bi(e,t,n,o){var a,i=e.key,s=e.type,l=t[n],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return n;if(o>(c?1:0)){for(a=n-1;a>=0;a--)if((l=
t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a;for(a=n+1;a<t.length;a++)if((l=t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a}return-1}function gr(e,t,n){n==null&&
(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function Ft(e,t,n,o,a){var i,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof o=="string"&&(e.style.
cssText=o=""),o)for(t in o)n&&t in n||gr(e.style,t);if(n)for(t in n)o&&n[t]==o[t]||gr(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),
typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[t]=n,n&&o||(s=xn[t]||(xn[t]=Ii(t)),(e.__a||(e.__a={}))[t]=_n,i=t!=(t=t.replace(br,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),n?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Ii(e){
return function(t){var n=this.__e;if(n){if(n=n[e],t[Ot]==null)t[Ot]=_n++;else if(t[Ot]<this.__a[e])return;return n(L.event?L.event(t):t)}}}function En(e,t,n,o,a,i,s,l,c,p){
var d,f,h,u,m,g,y,R,b,$,O,T,B,K,S,V,ne,oe,se=t.type;if(t.constructor!==it)return null;128&n.__u&&(c=32&n.__u,d=n.__c.__z)&&(t.__u|=c,f=i=[],d.nodeType==8?l=Nt(d,
i):i.push(d),l=i[0]||l),(d=L.__b)&&d(t);e:if(typeof se=="function"){h=s.length;try{if(R=t.props,b=(d=se.prototype)&&d.render,$=(d=se.contextType)&&o[d.__c],O=d?
$?$.props.value:d.__:o,(u=n.__c)?(t.__c=u,2&u.__g&&(u.__g|=1)):(b?t.__c=u=new se(R,O):(t.__c=u=new qe(R,O),u.constructor=se,u.render=Di),$&&$.sub(u),u.state||(u.
state={}),u.__n=o,u.__g|=8,u.__h=[],u.__k=[]),b&&(u.__s||(u.__s=u.state),se.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=Re({},u.__s)),Re(u.__s,se.getDerivedStateFromProps(
R,u.__s)))),m=u.props,g=u.state,u.__v=t,n.__c){if(R!==m&&b&&!se.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(R,O),t.__v==n.
__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(R,u.__s,O)===!1){t.__v!=n.__v&&(u.props=R,u.state=u.__s,u.__g&=-9),t.__e=n.__e,t.__k=
n.__k,t.__k.some(function(Y){Y&&(Y.__=t)}),Xt.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&s.push(u),l=_e(n);break e}u.componentWillUpdate&&u.componentWillUpdate(
R,u.__s,O),b&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(m,g,y)})}else b&&!se.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),
b&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=O,u.props=R,u.__P=e,u.__g&=-5,T=L.__r,B=b?25:0;do u.__g&=-9,T&&T(t),d=u.render(u.props,u.state=
u.__s,u.context);while(8&u.__g&&++B<25);b&&(Xt.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(o=Re({},o,u.getChildContext())),b&&n.__c&&u.getSnapshotBeforeUpdate&&
(y=u.getSnapshotBeforeUpdate(m,g)),K=d&&d.type===x&&d.key==null?d.props.children:d,R.__P&&(d=l,a=(e=R.__P).namespaceURI,c=i=null,n.props&&n.props.__P!=e&&(n.__k.
some(function(Y){Y&&Rn(Y,Y)}),n.__k=null),l=n.__k?_e(n,0):null),l=kr(e,kn(K)?K:[K],t,n,o,a,i,s,l,c,p),R.__P&&(t.__e=null,l=d),t.__u&=-161,f&&f.some(Te),u.__h.length&&
s.push(u),1&u.__g&&(u.__g&=-4)}catch(Y){if(s.length=h,t.__v=null,c||i)if(Y&&Y.then){if(t.__u|=128|c,i){for(~(ne=i.indexOf(l||void 0))||(ne=i.length);(oe=i[ne-1])&&
oe.nodeType==8;)ne--;for(;ne<i.length;ne++)if(oe=i[ne])if(i[ne]=null,S){if(oe==V)break}else{if(oe.nodeType!=8)break;oe.data.startsWith("$s")&&(V=Nt(S=oe))}}if(!S){
for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;S=l}(d=Nt(S=t.__c.__z||(t.__c.__z=S)))?(t.__e=S,l=d):t.__e=l,l=l&&l.nextSibling}else i&&i.some(Te);else t.
__e=n.__e;t.__k||(t.__k=n.__k||[]),Y&&Y.then||Er(t),L.__e(Y,t,n)}}else l=t.__e=Xi(n.__e,t,n,o,a,i,s,c,p,e);return(d=L.diffed)&&d(t),l}function Nt(e,t){if(e&&e.nodeType==
8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)return e}t&&t.push(
e)}}function Er(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Er))}function Tr(e,t,n){for(var o=0;o<n.length;)Tn(n[o++],n[o++],n[o++]);L.__c&&L.__c(t,e),e.some(
function(a){try{e=a.__h,a.__h=[],e.some(function(i){i.call(a)})}catch(i){L.__e(i,a.__v)}})}function Xi(e,t,n,o,a,i,s,l,c,p){var d,f,h,u,m,g,y,R,b=n.props||It,$=t.
props,O=t.type;if(O=="svg"?a="http://www.w3.org/2000/svg":O=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xhtml"),i){for(d=0;d<i.
length;d++)if((m=i[d])&&(O?m.localName==O:m.nodeType==3)){e=m,i[d]=null;break}}if(!e){if(R=p.ownerDocument||document,!O)return R.createTextNode($);e=R.createElementNS(
a,O,$.is?$:p),l&&(L.__m&&L.__m(t,i),l=!1),i=null}if(O){if(p=O=="template"&&e.content||e,i=O=="textarea"&&$.defaultValue!=null?null:i&&Sn.call(p.childNodes),!l&&
i)for(b={},d=0;d<e.attributes.length;d++)b[(m=e.attributes[d]).name]=m.value;for(d in b)m=b[d],d=="dangerouslySetInnerHTML"?h=m:d=="children"||d in $||d=="value"&&
"defaultValue"in $||d=="checked"&&"defaultChecked"in $||Ft(e,d,null,m,a);for(d in $)m=$[d],d=="children"?u=m:d=="dangerouslySetInnerHTML"?f=m:d=="value"?g=m:d==
"checked"?y=m:l&&typeof m!="function"||b[d]===m||Ft(e,d,m,b[d],a);f?(l||h&&(f.__html==h.__html||f.__html==e.innerHTML)||(e.innerHTML=f.__html),t.__k=[]):(h&&(e.
textContent=""),(O=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&Fi.test(O))&&(a="http://www.w3.org/1999/xhtml"),kr(p,kn(u)?u:[u],t,n,o,a,i,s,i?i[0]:
n.__k&&_e(n,0),l,c),i&&i.some(Te)),l&&O!="textarea"||(d="value",O=="progress"&&g==null?e.removeAttribute(d):g==null||g===e[d]&&(O!="progress"||g)||Ft(e,d,g,b[d],
a),d="checked",y!=null&&y!=e[d]&&Ft(e,d,y,b[d],a))}else b===$||l&&e.data==$||(e.data=$);return e}function Tn(e,t,n,o){try{typeof e=="function"?t?t.__x=e(t)||1:o&&
(o=o.__c||o.__e)&&(t=o.__x)&&(o.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){L.__e(a,n)}}function Rn(e,t,n){var o,a,i,s;if(L.unmount&&L.unmount(
e),!(o=e.ref)||o.current&&o.current!=e.__e||Tn(o,null,t,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){L.__e(l,t)}o.__P=o.__n=null}
if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&Rn(o[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(o=e.__c)&&(o=o.__z)&&(a=Nt(o,i=[]))&&(o==e.__e&&i.some(Te),Te(
a),Te(o)),n||Te(e.__e),e.__e=e.__c=e.__=null}function Di(e,t,n){return this.constructor(e,n)}function Rr(e,t){var n,o,a,i;L.__&&L.__(e,t),t.nodeType==9&&(t=t.documentElement),
o=(n=e&&32&e.__u)?null:t.__k,t.__k=at(x,{children:[e]}),a=[],i=[],En(t,t.__k,o||It,It,t.namespaceURI,o?null:t.firstChild?Sn.call(t.childNodes):null,a,o?o.__e:t.
firstChild,n,i),Tr(a,t.__k,i),t.__k.props.children=null}L={__e:function(e,t,n,o){for(var a,i,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(i=a.constructor)&&i.getDerivedStateFromError)&&a.setState(i.getDerivedStateFromError(
e)),a.componentDidCatch&&(a.componentDidCatch(e,o||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(l){e=l}}throw Bt=0,e}},yr=0,wn=function(e){return e!=null&&e.
constructor===it},qe.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=Re({},this.state)),typeof e=="function"&&(e=e(Re({},n),this.props)),
e&&(Re(n,e),this.__v&&(t&&this.__k.push(t),hr(this)))},qe.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),hr(this))},qe.prototype.render=
x,we=[],Bt=0,vr=function(e,t){return e.__v.__b-t.__v.__b},Ot=Symbol(),br=/(PointerCapture)$|Capture$/i,_n=0,xn={},Ai=0;var Ce,H,Cn,Cr,Mn=Object.is,Dt=0,Br=[],Pn=[],z=L,Mr=z.__b,Pr=z.__r,Lr=z.diffed,$r=z.__c,Ar=z.unmount,Fr=z.__;function lt(e,t){z.__h&&z.__h(H,e,Dt||t),Dt=0;var n=H.
__H||(H.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function v(e){return Dt=1,Ji(Ir,e)}function Ji(e,t,n){var o=lt(Ce++,2);if(o.t=e,!o.__c&&
(o.__=[n?n(t):Ir(void 0,t),function(i){var s=(o.__N||o.__)[0],l=o.t(s,i);Mn(s,l)||(o.__N=[l,o.__[1]],o.__c.setState({}))}],o.__c=H,!H.__f)){H.__f=!0;var a=H.shouldComponentUpdate;
H.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var p=!1,d=this.props!=i;if(c.__.some(function(h){h.__N&&(p=!0,Mn(h.__[0],h.__N[0])||(d=!0))}),
a){var f=a.call(this,i,s,l);return p?f||d:f}return!p||d}}return o.__}function M(e,t){var n=lt(Ce++,3);!z.__s&&$n(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,H.__H.__h.push(
n))}function U(e,t){var n=lt(Ce++,4);!z.__s&&$n(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,H.__h.push(n))}function C(e){return Dt=5,I(function(){return{current:e}},[])}function I(e,t){var n=lt(Ce++,7);return $n(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function ct(){var e=lt(Ce++,11);if(!e.__){for(var t=H.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);e.__="P"+n[0]+"-"+n[1]++}return e.__}function zi(){var e;
do{for(;e=Pn.shift();)try{st(e)}catch(n){z.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=Br.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(st),t.__h.some(Ln),t.__h=[]}catch(n){
t.__h=[],z.__e(n,e.__v)}}}while(Pn.length)}z.__b=function(e){H=null,Mr&&Mr(e)},z.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Fr&&Fr(e,t)},z.__r=function(e){
Pr&&Pr(e),Ce=0;var t=(H=e.__c).__H;t&&(Cn==H?H.__h=[]:(t.__h.some(st),t.__h.some(Ln),Ce=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),
Cn=H},z.diffed=function(e){Lr&&Lr(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Nr(Br.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Cn=H=null},z.__c=function(e,t){
t.some(function(n){try{n.__h.some(st),n.__h=n.__h.filter(function(o){return!o.__||Ln(o)})}catch(o){n.__h=[function(){throw o}]}}),$r&&$r(e,t)},z.unmount=function(e){
Ar&&Ar(e);var t,n,o=e.__c;o&&o.__H&&(o.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,
Nr(Pn.push(a))}else st(a)}catch(i){t=i}}),o.__H=void 0,t&&z.__e(t,o.__v))};var Or=typeof requestAnimationFrame=="function";function Hi(e){var t,n=function(){clearTimeout(
o),Or&&cancelAnimationFrame(t),setTimeout(e)},o=setTimeout(n,35);Or&&(t=requestAnimationFrame(n))}function Nr(e){e!=1&&Cr==z.requestAnimationFrame||((Cr=z.requestAnimationFrame)||
Hi)(zi)}function st(e){var t=H,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),H=t}function Ln(e){var t=H;e.__c=e.__(),H=t}function $n(e,t){return!e||e.length!=
t.length||t.some(function(n,o){return!Mn(n,e[o])})}function Ir(e,t){return typeof t=="function"?t(e):t}var qi=Symbol.for("preact-signals");function qt(){if(he>1)he--;else{var e,t=!1;for((function(){var a=zt;for(zt=void 0;a!==void 0;){var i=a.S;if(i.v===a.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===a.i&&(s.i=i.i);a=a.o}})();pt!==void 0;){var n=pt;for(pt=void 0,Jt++;n!==void 0;){var o=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&Dr(n))try{n.
c()}catch(a){t||(e=a,t=!0)}n=o}}if(Jt=0,he--,t)throw e}}function Fn(e){if(he>0)return e();An=++Wi,he++;try{return e()}finally{qt()}}var dt,D=void 0;function ut(e){
var t=D,n=dt;D=void 0,dt=void 0;try{return e()}finally{D=t,dt=n}}var pt=void 0,he=0,Jt=0,Wi=0,An=0,zt=void 0,Ht=0;function Xr(e){if(D!==void 0){var t=e.n;if(t===
void 0||t.t!==D)return t={i:0,S:e,p:D.s,n:void 0,t:D,e:void 0,x:void 0,r:t},D.s!==void 0&&(D.s.n=t),D.s=t,e.n=t,32&D.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=D.s,t.n=void 0,D.s.n=t,D.s=t),t}}function j(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}j.prototype.brand=qi;j.prototype.h=function(){return!0};j.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.
e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:ut(function(){var o;(o=t.W)==null||o.call(t)}))};j.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,
o=e.x;n!==void 0&&(n.x=o,e.e=void 0),o!==void 0&&(o.e=n,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&ut(function(){var a;(a=t.Z)==null||a.call(t)}))}};j.prototype.
subscribe=function(e){var t=this;return Pe(function(){var n=t.value;ut(function(){return e(n)})},{name:"sub"})};j.prototype.valueOf=function(){return this.value};
j.prototype.toString=function(){return this.value+""};j.prototype.toJSON=function(){return this.value};j.prototype.peek=function(){var e=this;return ut(function(){
return e.value})};Object.defineProperty(j.prototype,"value",{get:function(){var e=Xr(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){
if(Jt>100)throw new Error("Cycle detected");(function(n){he!==0&&Jt===0&&n.l!==An&&(n.l=An,zt={S:n,v:n.v,i:n.i,o:zt})})(this),this.v=e,this.i++,Ht++,he++;try{for(var t=this.
t;t!==void 0;t=t.x)t.t.N()}finally{qt()}}}});function re(e,t){return new j(e,t)}function Dr(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==
t.i)return!0;return!1}function Jr(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function zr(e){
for(var t=e.s,n=void 0;t!==void 0;){var o=t.p;t.i===-1?(t.S.U(t),o!==void 0&&(o.n=t.n),t.n!==void 0&&(t.n.p=o)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=o}e.s=
n}function Me(e,t){j.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Ht-1,this.f=4}Me.prototype=new j;Me.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;
if((36&this.f)==32||(this.f&=-5,this.g===Ht))return!0;if(this.g=Ht,this.f|=1,this.i>0&&!Dr(this))return this.f&=-2,!0;var e=D;try{Jr(this),D=this;var t=this.x();
(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return D=e,zr(this),this.f&=-2,!0};Me.prototype.S=function(e){
if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}j.prototype.S.call(this,e)};Me.prototype.U=function(e){if(this.t!==void 0&&(j.prototype.
U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};Me.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==
void 0;e=e.x)e.t.N()}};Object.defineProperty(Me.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Xr(this);if(this.h(),e!==void 0&&
(e.i=this.i),16&this.f)throw this.v;return this.v}});function We(e,t){return new Me(e,t)}function Hr(e){var t=e.j;if(e.j=void 0,typeof t=="function"){he++;var n=D;
D=void 0;try{t()}catch(o){throw e.f&=-2,e.f|=8,On(e),o}finally{D=n,qt()}}}function On(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,Hr(e)}function Vi(e){
if(D!==this)throw new Error("Out-of-order effect");zr(this),D=e,this.f&=-2;try{8&this.f&&On(this)}finally{qt()}}function Ve(e,t){this.x=e,this.j=void 0,this.s=void 0,
this.u=void 0,this.f=32,this.name=t?.name,dt&&dt.push(this)}Ve.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==
"function"&&(this.j=t)}finally{e()}};Ve.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,Hr(this),Jr(this),he++;var e=D;
return D=this,Vi.bind(this,e)};Ve.prototype.N=function(){2&this.f||(this.f|=2,this.u=pt,pt=this)};Ve.prototype.d=function(){this.f|=8,1&this.f||On(this)};Ve.prototype.
dispose=function(){this.d()};function Pe(e,t){var n=new Ve(e,t);try{n.c()}catch(a){throw n.d(),a}var o=n.d.bind(n);return o[Symbol.dispose]=o,o}var qr,Vt,Wt,Ui=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Wr=[];Pe(function(){qr=this.N})();function Ue(e,t){L[e]=t.bind(null,L[e]||function(){})}function mt(e){if(Wt){var t=Wt;Wt=void 0,t()}Wt=e&&e.S()}function Vr(e){
var t=this,n=e.data,o=Ki(n);o.name="ReactiveDom",o.value=n;var a=I(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var p=We(function(){var u=o.
value.value;return u===0?0:u===!0?"":u||""}),d=We(function(){return!Array.isArray(p.value)&&!wn(p.value)}),f=Pe(function(){if(this.N=Ur,d.value){var u=p.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=u)}}),h=t.__$u.d;return t.__$u.d=function(){f(),h.call(this)},[d,p]},[]),i=a[0],s=a[1];return i.value?s.
peek():s.value}Vr.displayName="ReactiveTextNode";Object.defineProperties(j.prototype,{constructor:{configurable:!0,value:xr(x,null).constructor},type:{configurable:!0,
value:Vr},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Ue("__b",function(e,t){if(mt(),
Vt=void 0,typeof t.type=="string"){var n,o=t.props;for(var a in o)if(a!=="children"){var i=o[a];i instanceof j&&(n||(t.__np=n={}),n[a]=i,o[a]=i.peek())}}e(t)});
Ue("__r",function(e,t){if(e(t),t.type!==x){mt();var n,o=t.__c;o&&(o.__$f&=-2,(n=o.__$u)===void 0&&(o.__$u=n=(function(a,i){var s;return Pe(function(){s=this},{name:i}),
s.c=a,s})((function(a){return function(){var i;Ui&&((i=this.y)==null||i.call(this)),a.__$f|=1,a.setState({})}})(o),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Vt=o,mt(n)}});Ue("__e",function(e,t,n,o){mt(),Vt=void 0,e(t,n,o)});Ue("diffed",function(e,t){mt(),Vt=void 0;var n;if(typeof t.type=="string"&&
(n=t.__e)){var o=t.__np,a=t.props,i=n.U;if(i)for(var s in i){var l=i[s];l===void 0||o&&s in o||(l.d(),i[s]=void 0)}if(o){i||(i={},n.U=i);for(var c in o){var p=i[c],
d=o[c];p===void 0?(p=ji(n,c,d,a),i[c]=p):p.o(d,a)}}}e(t)});function ji(e,t,n,o){var a=t in e&&e.ownerSVGElement===void 0,i=re(n);return{o:function(s,l){i.value=
s,o=l},d:Pe(function(){this.N=Ur;var s=i.value.value;o[t]!==s&&(o[t]=s,a?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}Ue("u\
nmount",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var o=n.U;if(o){n.U=void 0;for(var a in o){var i=o[a];i&&i.d()}}}var s=t.__np;if(s){var l=t.
props;for(var c in s)l[c]=s[c]}t.__np=void 0}else{var p=t.__c;if(p){p.__$f|=8;var d=p.__$u;d&&(p.__$u=void 0,d.d())}}e(t)});Ue("__h",function(e,t,n,o){o<3&&(t.__$f|=
2),e(t,n,o)});qe.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,o=n&&n.s!==void 0;for(var a in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(o||i||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Ki(e,t){return I(function(){return re(e,t)},[])}var Gi=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Yi(){Fn(function(){for(var e;e=Wr.shift();)qr.call(e)})}function Ur(){Wr.push(this)===1&&(L.requestAnimationFrame||Gi)(Yi)}var jr="manyhands-theme",ft=re(Zi());function Zi(){try{let e=localStorage.getItem(jr);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function Kr(e){
ft.value=e;try{localStorage.setItem(jr,e)}catch{}Nn()}function Nn(){let e=document.documentElement;ft.value==="system"?delete e.dataset.theme:e.dataset.theme=ft.
value,Ut.value+=1}var Ut=re(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{Ut.value+=1});var Qi=Symbol.for("pv"),es=0;function r(e,t,n,o,a,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var p={type:e,props:c,key:n,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:Qi,__v:--es,__i:-1,__u:0};return(a||i)&&(p.__source=a,p.__self=i),L.vnode&&L.vnode(p),p}var ts={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function w({name:e,size:t=16,label:n}){return r("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:n?"img":void 0,"aria-label":n,"aria-hidden":n?void 0:"true",focusable:"false",children:r("path",{d:ts[e]})})}function _({icon:e,label:t,kind:n="plain",pressed:o,children:a,class:i,...s}){return r("button",{type:"button",...s,class:`button button-${n}${e&&!a?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":o,children:[e&&r(w,{name:e}),a]})}function N(e){return r("div",{class:"empty",children:[e.icon&&r(w,{name:e.icon,size:24}),r("p",{class:"empty-title",children:e.title}),e.children&&r("div",{class:"\
empty-text",children:e.children}),e.action]})}var je=re(Bn(location.hash)),ge=We(()=>je.value);addEventListener("hashchange",()=>{je.value=Bn(location.hash)});function Bn(e){let t=e.replace(/^#\/?/,""),n=t.
indexOf("?"),o=(n<0?t:t.slice(0,n)).split("/").filter(Boolean).map(Gr),a=Object.create(null);if(n>=0)for(let[i,s]of new URLSearchParams(t.slice(n+1)))s&&(a[i]=s);
return{path:o,choices:a}}function Gr(e){try{return decodeURIComponent(e)}catch{return e}}function G(e,t={}){let n=new URLSearchParams;for(let[a,i]of Object.entries(
t))i!=null&&i!==""&&i!==!1&&n.set(a,String(i));let o=n.toString();return`#/${e.map(encodeURIComponent).join("/")}${o&&`?${o}`}`}function In(e,t={},{replace:n=!1}={}){
let o=G(e,t);o!==location.hash&&(n?history.replaceState(null,"",o):history.pushState(null,"",o),je.value=Bn(o))}function A(e,{replace:t=!0}={}){In(je.value.path,
{...je.value.choices,...e},{replace:t})}function F(e,t=""){return je.value.choices[e]??t}function de(e){return F(e).split(",").filter(Boolean).map(Gr)}function pe(e,t){
A({[e]:[...t].map(n=>n.replaceAll("%","%25").replaceAll(",","%2C")).join(",")})}var ns=500,rs=4e3,Dn=re(new Set),Xn=new Map;function jt(e){return e!==void 0&&Dn.value.has(e)}function os(e){if(e===void 0)return Promise.resolve(!1);let t=Xn.get(
e);return t===void 0&&(t=as(e).finally(()=>Xn.delete(e)),Xn.set(e,t)),t}async function ht(e,t){for(let n=!0;;)try{return await t()}catch(o){let a=await os(e);if(!a&&
!n)throw o;n=a}}async function as(e){if(await e())return!1;Yr(e,!0);for(let t=ns;await is(t),!await e();t=Math.min(rs,2*t));return Yr(e,!1),!0}function Yr(e,t){
let n=[...Dn.peek()].filter(o=>o!==e);Dn.value=new Set(t?[...n,e]:n)}function is(e){return new Promise(t=>{let n=()=>{clearTimeout(o),removeEventListener("onlin\
e",n),t()},o=setTimeout(n,e);addEventListener("online",n)})}function Zr(){return r("p",{class:"live-lost",role:"status",children:[r(w,{name:"warning"})," The film's screens cannot be reached. The page tries again by itse\
lf, and the film goes on here."]})}var ss=/[\p{Cc}\p{Cf}\s]+/gu;function Jn(e){return Math.hypot(e.x2-e.x1,e.y2-e.y1)>12}function eo({touches:e,elements:t}){let n=e[0];if(e.length!==1||!n||Jn(n))
return"";let o=null,a="";for(let s of t){let l=s.content.replace(ss," ").trim();!l||!ls(s,n)||o&&Qr(o)<=Qr(s)||([o,a]=[s,l])}let i=[...a];return i.length>40?`${i.
slice(0,39).join("").trimEnd()}\u2026`:a}function ls(e,{x1:t,y1:n}){return e.x1<=t&&t<=e.x2&&e.y1<=n&&n<=e.y2}function Qr(e){return(e.x2-e.x1)*(e.y2-e.y1)}var Le={A:"as expected",B:"a wrong page",C:"nothing changed"},cs={finished:"the agent said that the task is done",impossible:"the agent said that the goal canno\
t be reached",diverged:"the screen was not the one that the task's flow expects",app_crashed:"the app under test crashed, or did not respond",setup_refused:"the\
 phone refused the app under test, or a setting that the task needs",step_limit:"the limit of steps was reached",answer_invalid:"the agent's answer is missing o\
r does not fit what the task asks for",failure_limit:"too many actions in a row did not do what was expected",repeat_limit:"the same action, or the same round o\
f actions, came again too often",time_limit:"the time limit was reached",unusable_reply:"the model's reply could not be used",phone_lost:"the phone was lost",lease_lost:"\
another holder took the phone",model_failed:"the model failed",perception_failed:"the screen could not be read",host_lost:"the process that ran the episode died",
no_phone:"no phone was left to run it on",no_model:"no model server answered for too long",needs_person:"it needed a person, and none went on with it",cancelled:"\
it was cancelled",internal_error:"a defect of the program ended it",unfinished:"its journal has no end, because the run was interrupted"},zn="unfinished";function to(e,t=""){
return e==="repeat_limit"&&t?t:cs[e]??e.replaceAll("_"," ")}function no(e){return e.replaceAll("_"," ")}var ds={Back:"Back",Home:"Home",Enter:"Enter",Switch_App:"\
App switcher",Wait:"Wait",Stop:"Stop"};function ro(e){let t=e.action_kind,n=ds[t];return n?t==="Wait"?le(e):n:t==="Open_App"||t==="Open_Link"||t==="Answer"?le(e):
e.touches.length||e.typed_text||!t?"":le(e)}function le(e){if(!e.action)return"no action";let t=e.action.indexOf(" "),n=t<0?e.action:e.action.slice(0,t),o=e.by_person?
"":eo(e);return n.replaceAll("_"," ")+(o&&` \u201C\u2068${o}\u2069\u201D`)+e.action.slice(n.length)}function Z(e){return e.episode.ended_at!=null||e.episode.ending!=
null}function oo(e){return Z(e)?e:{...e,episode:{...e.episode,ending:zn}}}var ao=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;function io(e,t){if(e===t)return t?[{kind:"\
same",text:t}]:[];let n=e.match(ao)??[],o=t.match(ao)??[],a=0;for(;a<n.length&&a<o.length&&n[a]===o[a];)a+=1;let i=0;for(;i<n.length-a&&i<o.length-a&&n.at(-1-i)===
o.at(-1-i);)i+=1;let s=[{kind:"same",text:o.slice(0,a).join("")}];return s.push(...ms(n.slice(a,n.length-i),o.slice(a,o.length-i))),s.push({kind:"same",text:o.slice(
o.length-i).join("")}),ps(s,e,t)?hs(s):us(e,t)}function ps(e,t,n){return e.reduce((a,{kind:i,text:s})=>a+(i==="same"?Hn(s):0),0)>=.5*Math.min(Hn(t),Hn(n))}function Hn(e){
return e.replace(/\s+/gu,"").length}function us(e,t){return[{kind:"gone",text:e},{kind:"same",text:`
`},{kind:"new",text:t}]}function ms(e,t){let n=[{kind:"gone",text:e.join("")},{kind:"new",text:t.join("")}];if(!e.length||!t.length||e.length>600||t.length>600)
return n;let o=fs(e,t),a=t.length+1,i=[],s=0,l=0;for(;s<e.length||l<t.length;)s<e.length&&l<t.length&&e[s]===t[l]?(i.push({kind:"same",text:t[l]}),s+=1,l+=1):l>=
t.length||s<e.length&&gt(o,(s+1)*a+l)>=gt(o,s*a+l+1)?(i.push({kind:"gone",text:e[s]}),s+=1):(i.push({kind:"new",text:t[l]}),l+=1);return i}function fs(e,t){let n=t.
length+1,o=new Uint16Array((e.length+1)*n);for(let a=e.length-1;a>=0;a-=1)for(let i=t.length-1;i>=0;i-=1)o[a*n+i]=e[a]===t[i]?gt(o,(a+1)*n+i+1)+1:Math.max(gt(o,
(a+1)*n+i),gt(o,a*n+i+1));return o}function gt(e,t){return e[t]??0}function hs(e){let t=[],n="",o="",a=()=>{n&&t.push({kind:"gone",text:n}),o&&t.push({kind:"new",
text:o}),n=o=""};return e.forEach((i,s)=>{if(i.text)if(i.kind==="gone")n+=i.text;else if(i.kind==="new")o+=i.text;else if(!i.text.trim()&&n&&o&&e[s+1]&&e[s+1]?.
kind!=="same")n+=i.text,o+=i.text;else{a();let l=t.at(-1);l?.kind==="same"?l.text+=i.text:t.push({kind:"same",text:i.text})}}),a(),t}function so(e){let{label:t,text:n,before:o}=e;return n?o!==void 0&&n===o?r("details",{class:"field field-folded",children:[r("summary",{children:[r("span",{class:"\
field-label",children:t}),r("span",{class:"field-hint",children:"as before"}),r("span",{class:"field-peek clip",children:n})]}),r(Q,{children:n})]}):r(yt,{label:t,
hint:o===void 0?void 0:o?"changed":"new",children:r(Q,{children:o?r(gs,{before:o,after:n}):n})}):null}function yt(e){return r("section",{class:"field",children:[
r("h2",{class:"field-label",children:[e.label,e.hint&&r("span",{class:"field-hint field-hint-new",children:e.hint})]}),e.children]})}function gs({before:e,after:t}){
let n=I(()=>io(e,t),[e,t]);return r(x,{children:n.map((o,a)=>o.kind==="same"?r("span",{children:o.text},a):o.kind==="new"?r("ins",{children:o.text},a):r("del",{
children:o.text},a))})}function Q({children:e,class:t=""}){let n=C(null),[o,a]=v(!1),[i,s]=v(!1);return U(()=>{let l=n.current;!l||i||a(l.scrollHeight>l.clientHeight+
4)}),r(x,{children:[r("div",{ref:n,class:`long-text said ${i?"":"long-text-cut"} ${t}`,dir:"auto",children:e}),(o||i)&&r("button",{type:"button",class:"long-tex\
t-more","aria-expanded":i,onClick:()=>s(!i),children:i?"Show less":"Show all"})]})}var ys=/[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]/g;function Kt(e){let{width:t,height:n}=e;if(!t||!n)return"";let o=e.touches.flatMap(a=>[[a.x1,a.y1],[a.x2,a.y2]]);
for(let[a,i,s]of[e.thought,e.error,e.expectation].flatMap(l=>[...(l??"").matchAll(ys)])){let l=[Number(i),Number(s)],c=o.find(([p,d])=>lo(l,[p*1e3/t,d*1e3/n]));
if(c&&!lo(l,c))return`The model counts from 0 to 1,000 across the screen. Its ${a} is (${c.join(", ")}) in pixels.`}return""}function lo(e,t){return Math.abs(e[0]-
t[0])<=2&&Math.abs(e[1]-t[1])<=2}function Gt(e){let{ending:t,verified:n,unmet:o}=e.episode;return Z(e)?t==="cancelled"?"cancelled":n===!0&&!e.unexpected_changes.length?"done":n===!1||e.unexpected_changes.
length||t!=="finished"?"failed":o?.length?"undecided":"done":"running"}function co(e){let t=Gt(e);return t!=="failed"&&t!=="undecided"?null:{headline:vs(e,t),lines:bs(
e)}}function vs(e,t){let{ending:n,reason:o,verified:a,unmet:i}=e.episode,s=to(n??"",o??"");if(t==="undecided")return"Nobody could tell whether the task is done:\
 its check was not answered.";if(String(n)===zn)return`Nobody knows whether the task was done: ${s}.`;if(n==="finished")return a===!1?"The agent said that the t\
ask is done, but the task's check does not hold.":"The agent said that the task is done, but it also changed what it must not change.";let l=i?.length&&n!=="ste\
p_limit"?" The task's check does not hold.":"";return`The episode ended before the task was done: ${s}.${l}`}function bs(e){let{reason:t,unmet:n,ending:o}=e.episode,
a=[],i=$e(e),s=i===null?void 0:e.steps[i],l=s&&Wn(s)[0];if(s&&i!==null&&l){let c=t?.includes(l.text)?`${l.title}.`:l.text;a.push({label:`Step ${s.step}`,text:`I\
t sent: ${le(s)}`,step:s.step}),s.thought&&a.push({label:"It thought",text:s.thought}),s.expectation&&a.push({label:"It expected",text:s.expectation}),a.push({label:"\
Then",text:c});let p=Kt(s);p&&a.push({label:"Places",text:p});let d=_s(e,i);d.length&&a.push({label:"Again at",text:`step${d.length===1?"":"s"} ${d.join(", ")}`})}
o!=="finished"&&o!=="repeat_limit"&&t&&a.push({label:"Reason",text:t});for(let c of n??[])a.push({label:"Expected",text:c.expected},{label:"Found",text:c.found});
for(let c of e.judged)c.verdict!=="yes"&&a.push({label:`Judge: ${c.verdict??"no answer"}`,text:c.reason});for(let c of e.unexpected_changes)a.push({label:"Not a\
llowed",text:xs(c)});return a}function xs(e){return e.before==null?`${e.path}: added ${e.after??""}`:e.after==null?`${e.path}: removed ${e.before}`:`${e.path}: ${e.
before} became ${e.after}`}function $e(e){let t=Gt(e),{steps:n}=e;if(t!=="failed"&&t!=="undecided"||!n.length)return null;let o=ws(n),a=n.findIndex((s,l)=>l>o&&
qn(s));if(a>=0)return a;let i=n.findLastIndex(s=>ks(s,e));return i>=0?i:n.length-1}function ws(e){let t=-1,n=!1,o=new Set;return e.forEach((a,i)=>{let s=n&&(a.action_kind===
"Back"||a.action_kind==="Home");po(a)&&!s&&!o.has(a.action)?(t=i,n=!1):qn(a)&&(n=!0),o.add(a.action)}),t}function _s(e,t){let n=e.steps[t]?.action;return n?e.steps.
slice(t+1).filter(o=>o.action===n&&qn(o)).map(o=>o.step):[]}function ks(e,t){return e.typed_text.split(`
`).map(o=>o.trim()).filter(Boolean).some(o=>(t.episode.unmet??[]).some(a=>a.expected.includes(o)&&!a.found.includes(o)))}function Yt(e,t=e.steps.length){let n=e.
steps.slice(0,t).findLastIndex(po);return n<0?null:n}function po(e){return e.outcome==="A"&&!e.problem}function qn(e){return e.outcome==="B"||e.outcome==="C"||!!e.
problem||e.failures.length>0}function Wn(e){let t=[],n=new Set,o=(a,i,s)=>{s&&[...n].some(l=>l.includes(s))||(n.add(s),t.push({tone:a,title:i,text:s}))};for(let a of e.
failures)o("bad","A stage gave no result",a);if(e.problem&&o("bad",e.action?"The action was not carried out":"There is no action",e.problem),e.outcome==="B"||e.
outcome==="C"){let a=`After the action: ${Le[e.outcome]}`;n.has(e.error)||o(e.outcome==="B"?"bad":"warn",a,e.error)}if(e.wrong_page!=null){let a=e.went_back===!1?
"Going back did not lead to the page from before.":"The agent went back.";o("warn","The action led to a wrong page",a)}for(let a of e.findings)a.is_problem&&o("\
warn",`A problem of the stage ${a.stage}`,a.text);for(let a of e.calls)a.error&&o("bad",`A call of the ${a.agent} failed`,a.error);for(let a of e.resumed)o("qui\
et","The episode was interrupted before this step and resumed",a);return t}var Ae=["side","slider","one"],Ke=["step","screen","timing","calls","log"],vt={step:"Step",screen:"Screen",timing:"Timing",calls:"Model calls",log:"Log"};function mo(e,t=!1){
let{steps:n}=e,o=F("step"),a=o===""?-1:Ss(n,Number(o)),i=a<0&&!Z(e),s=i||t,l=a>=0?a:s?n.length-1:$e(e)??0,c=n[l];return c?{index:l,step:c,previous:n[l-1],next:n[l+
1],count:n.length,isFollowing:i,view:uo(Ae,F("view"),"side"),face:F("face")==="after"?"after":"before",tab:uo(Ke,F("tab"),"step"),boxes:F("boxes")==="1",changes:F(
"changes")!=="0"}:null}function Ss(e,t){if(!Number.isInteger(t))return-1;let n=0,o=e.length-1;for(;n<o;){let a=Math.ceil((n+o)/2);e[a].step<=t?n=a:o=a-1}return e.
length?n:-1}function uo(e,t,n){return e.find(o=>o===t)??n}function bt({steps:e}){let t=e[0]?.step,n=e.at(-1)?.step;return t===n?"":`of ${t} to ${n}`}function me(e,t){
let n=e.steps[Math.min(Math.max(t,0),e.steps.length-1)];n&&A({step:n.step})}function Zt(e){return G(ge.value.path,{...ge.value.choices,step:e})}function Qt(){A(
{step:null})}function en(e){A({tab:e==="step"?null:e})}function tn(e){A({view:e==="side"?null:e})}function fo(e){A({view:"one",face:e==="before"?null:e})}function Ge(e){
A({boxes:e?1:null})}function nn(e){A({changes:e?null:0})}function ho({report:e}){let t=co(e);return t?r("section",{class:"failure","aria-label":"Why it failed",children:[r("h2",{class:"failure-head",children:[r(w,{name:"\
warning"}),t.headline]}),r("dl",{class:"failure-lines",children:t.lines.map((n,o)=>r("div",{class:"failure-line",children:[r("dt",{children:n.step===void 0?n.label:
r("a",{href:Zt(n.step),children:n.label})}),r("dd",{children:r(Q,{class:"failure-text",children:n.text})})]},o))})]}):null}var Es=new Intl.NumberFormat("en",{maximumFractionDigits:0}),yo=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),Ts=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),Rs=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),ie="\u2013";function k(e){return e==
null?ie:Es.format(e).replace("-","\u2212")}function go(e){if(e==null||Number.isNaN(e))return ie;let t=Math.abs(e),n=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:n}).replace("-","\u2212")}function E(e){if(e==null||Number.isNaN(e))return ie;if(e<0)return"\u2212"+E(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return Vn(Math.floor(t/60),"min",t%60,"s");let n=Math.round(e/60);if(n<1440)return Vn(Math.floor(n/60),"h",n%60,"min");let o=Math.round(e/3600);
return Vn(Math.floor(o/24),"d",o%24,"h")}function Vn(e,t,n,o){let a=`${e}\xA0${t}`;return n?`${a}\xA0${n}\xA0${o}`:a}function ye(e){if(e==null||Number.isNaN(e))
return ie;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?Cs(t.toFixed(1)):Math.round(t)}\xA0%`}function Cs(e){return e.replace(/\.0$/,"")}function ee(e){if(e==null)
return ie;for(let[t,n]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${go(Number((e/t).toPrecision(3)))}\xA0${n}`;return go(e)}function Ye(e){return e==null?ie:yo.format(e*1e3)}function Ze(e){return e==null?ie:`${Ts.format(e*1e3)}, ${yo.format(e*1e3)}`}function rn(e){return Rs.formatToParts(
e*1e3).find(t=>t.type==="timeZoneName")?.value??""}function X(e,t,n=`${t}s`){return`${k(e)}\xA0${e===1?t:n}`}function ke(e,t){let n=t.join(" "),[o,a]=v({key:n,urls:[]}),[i,s]=v(null),l=o.key===n?o.urls:[],c=t.find(p=>!l.includes(p))??null;return M(()=>{if(s(null),c!==null||
!t.length)return;let p=!0;return ht(e,()=>Promise.any(t.map(vo))).then(()=>p&&a({key:n,urls:[]}),()=>p&&s(n)),()=>{p=!1}},[n,c,e]),{url:c,isMissing:!t.length||i===
n,onError:()=>c!==null&&a({key:n,urls:[...l,c]})}}async function xt(e,t){try{return await ht(e,()=>vo(t))}catch{return null}}function vo(e){return new Promise((t,n)=>{
let o=new Image;o.onload=()=>t(o),o.onerror=()=>n(new Error(`${e} could not be loaded`)),o.src=e})}var bo=[.5,1,2,4,8],Ms=1400;function xo(e,t,n){let[o,a]=v(!1),[i,s]=v(1),l=t?.index??0,c=e.steps.length-1;return M(()=>{if(!o)return;if(l>=c){a(!1);return}let d=!0,
f=async()=>{await Ps(n,e.steps[l+1]),d&&me(e,l+1)},h=setTimeout(()=>{f()},Ms/i);return()=>{d=!1,clearTimeout(h)}},[o,i,l,c,n]),{isPlaying:o,speed:i,toggle:()=>{
!o&&l>=c&&me(e,0),a(!o&&c>0)},setSpeed:s}}async function Ps(e,t){let n=[t?.screen,t?.screen_after].map(o=>o?e.pictureUrl(o,"full"):null);await Promise.all(n.map(
o=>o===null?null:xt(e.reach,o)))}function wo({report:e,film:t,player:n,note:o}){let a=$e(e),i=a===null?null:Yt(e,a),s=l=>me(e,l);return r("div",{class:"controls",role:"group","aria-label":"Film",
children:[r("div",{class:"controls-play",children:[r(_,{icon:"first",kind:"quiet",label:"First step (Home)",disabled:t.index===0,onClick:()=>s(0)}),r(_,{icon:"l\
eft",kind:"quiet",label:"Step before (\u2190)",disabled:t.index===0,onClick:()=>s(t.index-1)}),r(_,{icon:n.isPlaying?"pause":"play",kind:"primary",label:n.isPlaying?
"Pause (Space)":"Play (Space)",onClick:n.toggle}),r(_,{icon:"right",kind:"quiet",label:"Next step (\u2192)",disabled:t.index>=t.count-1,onClick:()=>s(t.index+1)}),
r(_,{icon:"last",kind:"quiet",label:"Last step (End)",disabled:t.index>=t.count-1,onClick:()=>s(t.count-1)}),r("select",{class:"controls-speed","aria-label":"Sp\
eed",value:String(n.speed),onChange:l=>n.setSpeed(Number(l.currentTarget.value)),children:bo.map(l=>r("option",{value:String(l),children:[l,"\xD7"]},l))})]}),r(
$s,{report:e,film:t}),r("span",{class:"controls-count",children:["Step ",r("strong",{children:k(t.step.step)}),r("span",{class:"faint",children:[" ",bt(e)]})," ",
r("span",{class:"quiet",role:"status",children:o})]}),r("div",{class:"controls-jumps",children:[a!==null&&r(_,{title:"To the failure (F)",onClick:()=>s(a),disabled:a===
t.index,children:[r(w,{name:"warning"})," To the failure"]}),i!==null&&r(_,{title:"To the last action that was as expected (G)",onClick:()=>s(i),disabled:i===t.
index,children:[r(w,{name:"check"})," Last good step"]}),!Z(e)&&r(_,{pressed:t.isFollowing,title:"Follow the newest step (L)",onClick:Qt,children:[r("span",{class:`\
live-dot${t.isFollowing?" live-dot-on":""}`})," Follow"]})]})]})}var Ls={A:5,B:16,C:11,none:3};function $s({report:e,film:t}){let{steps:n}=e,o=Math.max(1,n.length);
return r("div",{class:"line",style:{maxWidth:`${n.length*48}px`},children:[r("svg",{class:"line-verdicts",viewBox:`0 0 ${o} 16`,preserveAspectRatio:"none","aria\
-hidden":"true",children:[["A","B","C","none"].map(a=>r("path",{class:`line-${a}`,d:As(n,a)},a)),r("rect",{class:"line-now",x:t.index,width:1,y:0,height:16})]}),
r("input",{class:"line-input",type:"range",min:0,max:Math.max(0,n.length-1),value:t.index,"aria-label":"Step","aria-valuetext":`Step ${t.step.step} ${bt(e)}`,onInput:a=>me(
e,Number(a.currentTarget.value))})]})}function As(e,t){let n=e.length>300?0:.12,o=Ls[t],a="";return e.forEach((i,s)=>{(i.outcome??"none")===t&&(a+=`M${s+n} 16h${1-
2*n}v-${o}h-${1-2*n}z`)}),a}function P(e){return r("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&r(w,{name:e.icon,size:12}),e.children]})}var Fs={A:{tone:"\
good",icon:"check",words:"as expected"},B:{tone:"bad",icon:"cross",words:"wrong page"},C:{tone:"warn",icon:"minus",words:"no change"}};function Qe({verdict:e,short:t}){
let n=e?Fs[e]:void 0;return n?r(P,{tone:n.tone,icon:n.icon,title:`${e}: ${n.words}`,children:[t?e:n.words,t&&r("span",{class:"unseen",children:[": ",n.words]})]}):
r(P,{tone:"quiet",children:e||"no verdict"})}var Os={running:{tone:"accent",icon:"play",words:"running"},done:{tone:"good",icon:"check",words:"done"},failed:{tone:"bad",icon:"cross",words:"failed"},undecided:{
tone:"warn",icon:"info",words:"undecided"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"}};function Ns({name:e,isReader:t,isPaused:n}){let o=t?"you":e||
"a person";return n?{tone:"warn",icon:"pause",words:`paused by ${o}`}:{tone:"warn",icon:"hand",words:`taken over by ${o}`}}function _o({report:e,person:t,tools:n}){
let{episode:o}=e,a=Gt(e),i=a==="running"&&t?Ns(t):Os[a];return r("header",{class:"film-head",children:[r("div",{class:"film-title",children:[r(P,{tone:i.tone,icon:i.
icon,children:i.words}),r("h1",{children:r(Q,{class:"film-goal",children:o.goal})}),n&&r("div",{class:"film-tools",children:n})]}),r(Bs,{report:e}),o.answer!=null&&
r("p",{class:"film-answer",children:[r("span",{class:"quiet",children:"Answer"}),r("span",{class:"said",children:o.answer})]}),r(Xs,{report:e})]})}function Bs({
report:e}){let{episode:t,steps:n}=e,o=i=>n.reduce((s,l)=>s+l[i],0),a=t.ended_at==null?null:t.ended_at-t.started_at;return r("dl",{class:"film-facts",children:[r(
te,{name:"Task",children:[r("bdi",{children:t.task}),t.attempt>1&&`, attempt ${t.attempt}`]}),t.ending&&r(te,{name:"Ending",children:no(t.ending)}),t.verified!=
null&&r(te,{name:"Check",children:[t.verified?"holds":"does not hold",t.verified_by==="judge"&&", by a judge"]}),t.phone&&r(te,{name:"Phone",children:r("bdi",{children:t.
phone})}),r(te,{name:"Steps",children:[k(t.steps)," done",e.max_steps!=null&&`, at most ${k(e.max_steps)}`]}),a!==null&&r(te,{name:"Time",children:E(a)}),r(te,{
name:"Model",children:[X(o("model_calls"),"call"),", ",ee(o("input_tokens"))," tokens in,"," ",ee(o("output_tokens"))," out"]}),r(te,{name:"Began",children:[Ze(
t.started_at)," ",rn(t.started_at)]}),(t.resumed??0)>0&&r(te,{name:"Resumed",children:X(t.resumed??0,"time")}),(t.damaged??0)>0&&r(te,{name:"Journal",children:[
X(t.damaged??0,"place")," cannot be read"]})]})}function te({name:e,children:t}){return r("div",{class:"film-fact",children:[r("dt",{children:e}),r("dd",{class:"\
said",children:t})]})}var Is={given:"given",added:"taught",changed:"changed",removed:"removed"};function Xs({report:e}){let{episode:t}=e;return r("details",{class:"\
film-details",children:[r("summary",{children:[r(w,{name:"right",size:12})," More about this episode"]}),r("dl",{class:"film-facts",children:[r(te,{name:"Episod\
e",children:r("bdi",{class:"mono",children:t.id})}),e.batch&&r(te,{name:"Batch",children:e.batch}),r(te,{name:"Profile",children:t.profile}),e.schedule&&r(te,{name:"\
Schedule",children:e.schedule}),e.apps.length>0&&r(te,{name:"Apps",children:e.apps.join(", ")}),e.tags.length>0&&r(te,{name:"Tags",children:e.tags.join(", ")})]}),
t.answer_data!=null&&r("pre",{class:"said film-data",children:JSON.stringify(t.answer_data,null,2)}),e.judged.map((n,o)=>r("p",{class:"film-judged",children:[r(
P,{tone:n.verdict==="yes"?"good":n.verdict==="no"?"bad":"warn",children:["judge: ",n.verdict??"no answer"]})," ",r("span",{class:"said",children:n.statement}),"\
 ",r("span",{class:"said quiet",children:n.reason})]},o)),e.lesson_problem&&r("p",{class:"said",children:["Nothing was learned: ",e.lesson_problem]}),e.lessons.
length>0&&r("ul",{class:"film-lessons",children:e.lessons.map((n,o)=>r("li",{children:[r(P,{tone:n.way==="given"?"quiet":"accent",children:[n.kind,", ",Is[n.way]]}),
r(Q,{children:n.text||n.id})]},o))})]})}var Fe=re([]);function ae(e,t){let n=C(t);n.current=t;let o=t.map(a=>`${a.key} ${a.does}`).join(`
`);U(()=>{let a={title:e,keys:n.current.map((i,s)=>i.run?{...i,run:()=>n.current[s]?.run?.()}:i)};return Fe.value=[...Fe.value,a],()=>{Fe.value=Fe.value.filter(
i=>i!==a)}},[e,o])}function Ds(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof
HTMLTextAreaElement||e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||
Ds(e.target)||document.querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof
HTMLElement&&e.target.closest("button, a, summary, input")))for(let n of[...Fe.value].reverse()){let o=n.keys.find(a=>a.key===t&&a.run);if(o){e.preventDefault(),
o.run?.();return}}});function ko(e,t,n,o){ae("Film",t?Js(e,t,n,o):[])}function Js(e,t,n,o){let a=(p,d="")=>()=>{p!==null?me(e,p):o(d)},i=$e(e),s=Z(e)?"This episode did not fail.":"I\
t has not failed so far.",l=[{key:"ArrowRight",does:"next step",run:a(t.index+1)},{key:"ArrowLeft",does:"step before",run:a(t.index-1)},{key:".",does:"next step\
, on a tab, too",run:a(t.index+1)},{key:",",does:"step before, on a tab, too",run:a(t.index-1)},{key:"Home",does:"first step",run:a(0)},{key:"End",does:"last st\
ep",run:a(t.count-1)},{key:" ",does:"play or pause",run:n.toggle},{key:"f",does:"to the failure",run:a(i,s)},{key:"g",does:"to the last action that was as expec\
ted",run:a(Yt(e,i??t.count),"No action before was as expected.")},{key:"l",does:"follow the newest step",run:()=>!Z(e)&&Qt()},{key:"c",does:"flip between before\
 and after",run:()=>fo(t.view==="one"&&t.face==="before"?"after":"before")},{key:"v",does:"side by side, slider, one screen",run:()=>tn(Ae[(Ae.indexOf(t.view)+1)%
Ae.length]??"side")},{key:"b",does:"boxes of what was read",run:()=>Ge(!t.boxes)},{key:"d",does:"mark what changed",run:()=>nn(!t.changes)}],c=Ke.map((p,d)=>({key:String(
d+1),does:`show ${vt[p].toLowerCase()}`,run:()=>en(p)}));return[...l,...c]}var zs=[{key:"ArrowRight",does:"next tab"},{key:"ArrowLeft",does:"tab before"},{key:"Home",does:"first tab"},{key:"End",does:"last tab"}];function on(e){let{tabs:t,
current:n,onChange:o}=e,a=C(null);U(()=>{a.current&&Hs(a.current,n)},[n,t.length]),ae("While a tab has the focus",zs);let i=s=>{let l=t.findIndex(d=>d.id===n),c={
ArrowRight:l+1,ArrowLeft:l-1,Home:0,End:t.length-1}[s.key],p=c===void 0?void 0:t[(c+t.length)%t.length];p&&(s.preventDefault(),s.stopPropagation(),o(p.id),s.currentTarget.
querySelector(`[data-tab="${CSS.escape(p.id)}"]`)?.focus())};return r("div",{class:"tabs",ref:a,role:"tablist","aria-label":e.label,onKeyDown:i,children:t.map(s=>r(
"button",{type:"button",class:"tab",role:"tab","data-tab":s.id,"aria-selected":s.id===n,"aria-controls":s.id===n?e.panel:void 0,tabIndex:s.id===n?0:-1,onClick:()=>o(
s.id),children:[s.title,s.count!==void 0&&r("span",{class:"tab-count",children:k(s.count)})]},s.id))})}function Hs(e,t){let n=e.querySelector(`[data-tab="${CSS.
escape(t)}"]`);if(!n)return;let[o,a]=[n.offsetLeft-e.offsetLeft,n.offsetLeft-e.offsetLeft+n.offsetWidth];o<e.scrollLeft?e.scrollLeft=o:a>e.scrollLeft+e.clientWidth&&
(e.scrollLeft=a-e.clientWidth)}var qs=1600;function Oe(e){let[t,n]=v("");M(()=>{if(!t)return;let a=setTimeout(()=>n(""),qs);return()=>clearTimeout(a)},[t]);let o=async()=>n(await Ws(e.text())?
"copied":"failed");return r(x,{children:[r(_,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{o()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),r("span",{class:"unseen",role:"status",children:t})]})}async function Ws(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let n=document.execCommand("copy");return t.remove(),n}}var an="manyhands:",Vs=/^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;function Eo(e){return So(e.messages).flatMap(t=>{let{role:n,content:o}=Un(t),a=typeof n==
"string"?n:"message";return typeof o=="string"?Ro(a,o):So(o).flatMap(i=>Us(a,Un(i)))})}function To(e){return Object.entries(e).filter(([t])=>t!=="messages").map(
([t,n])=>[t,typeof n=="string"?n:JSON.stringify(n,null,2)??""])}function Us(e,t){let n=js(t);return n?[{title:"Picture",role:e,text:"",picture:n}]:typeof t.text==
"string"?Ro(e,t.text):[{title:String(t.type??"part"),role:e,text:JSON.stringify(t,null,2),picture:""}]}function js(e){let t=Un(e.image_url).url;return typeof t==
"string"&&t.startsWith(an)?t.slice(an.length):""}function Ro(e,t){let n=[],o="",a=[],i=()=>{let s=a.join(`
`).trim();(o||s)&&n.push({title:o||"Opening",role:e,text:s,picture:""}),a=[]};for(let s of t.split(`
`)){let l=Vs.exec(s);l?(i(),o=(l[1]??l[2]??"").trim()):a.push(s)}return i(),n}function So(e){return Array.isArray(e)?e:[]}function Un(e){return typeof e=="objec\
t"&&e!==null?e:{}}function Co(e){try{let t=JSON.parse(e);return typeof t!="object"||t===null||Array.isArray(t)?null:Object.entries(t).map(([n,o])=>[n,typeof o==
"string"?o:JSON.stringify(o,null,2)])}catch{return null}}var Po=/^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;function Lo(e,t){let n=Ks(JSON.stringify(t)),o=["# The key of the server, if it \
asks for one: export MANYHANDS_API_KEY=..."];n.length>1&&o.push("# The folder with the run's screens:",'SCREENS="${SCREENS:-screens}"');for(let a of n){let i=Po.
exec(a.picture)?.[2];i&&o.push(`# ${a.picture}.png is made from a screen (${i.split("-")[0]??""}): save it from the page.`)}o.push("{");for(let a of n)a.picture&&
o.push(`  base64 < "$SCREENS/${Gs(a.picture)}" | tr -d '\\n'`),o.push(`  printf %s ${Mo(a.text)}`);return o.push("} | curl --silent --show-error \\","  -H 'Cont\
ent-Type: application/json' \\",'  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',`  --data-binary @- ${Mo(Ys(e))}`),`${o.join(`
`)}
`}function Ks(e){let[t="",...n]=e.split(`"url":"${an}`),o=[{picture:"",text:t}];for(let a of n){let i=a.indexOf('"'),s=o.pop();o.push({picture:s.picture,text:`${s.
text}"url":"data:image/png;base64,`}),o.push({picture:a.slice(0,i),text:a.slice(i)})}return o}function Gs(e){return`${Po.test(e)?e:"picture"}.png`}function Ys(e){
let t=[...e].map(n=>n<" "||n==="\x7F"?"":n).join("");return/\/(chat\/)?completions$/.test(t)?t:`${t.replace(/\/+$/,"")}/chat/completions`}function Mo(e){return`\
'${e.replaceAll("'","'\\''")}'`}var Zs=/^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;function $o({picture:e,source:t}){let n=Zs.exec(e),o=n?.[1]??
e,a=t.pictureUrl(o,"full"),i=ke(t.reach,a===null?[]:[a]),s=n?.slice(2).map(Number)??[],l=n?.[2]!==void 0;return r("figure",{class:"prompt-picture",children:[a?i.
url?l?r(Qs,{url:i.url,numbers:s,onError:i.onError}):r("a",{href:a,target:"_blank",rel:"noreferrer",title:"Open the picture",children:r("img",{src:i.url,alt:"Scr\
een shown to the model",loading:"lazy",decoding:"async",onError:i.onError})}):r("p",{class:"quiet",children:i.isMissing?"This picture could not be loaded.":"Thi\
s picture is loaded as soon as it can be reached."}):r("p",{class:"quiet",children:"This report was made without screens."}),r("figcaption",{class:"faint",children:[
l?"A part of a screen":n?"A screen, half as wide":"A screen"," ",r("span",{class:"mono said",children:e.slice(0,8)})]})]})}function Qs(e){let{url:t,numbers:n}=e,
[o=0,a=0,i=1,s=1,l=0,c=0,p=1,d=1,f=0]=n,h=Math.max(1,i-o),u=Math.max(1,s-a);return r("svg",{class:"prompt-crop",viewBox:`${o} ${a} ${h} ${u}`,role:"img","aria-l\
abel":`Part ${f} of a screen, shown to the model`,children:[r("image",{href:t,x:0,y:0,onError:e.onError}),r("rect",{x:l,y:c,width:p-l,height:d-c,class:"prompt-c\
rop-box"}),r("text",{x:l+4,y:c+26,class:"prompt-crop-number",children:f})]})}var el=700;function Ao(e){let{call:t,content:n,source:o}=e,a=I(()=>Eo(n.request),[n]),i=I(()=>To(n.request),[n]),[s,l]=v(null);return r(x,{children:[r("section",
{"aria-label":"Reply",children:[r("div",{class:"call-part-head",children:[r("h2",{children:"Reply"}),n.reply!=null&&r(Oe,{label:"Copy the reply",text:()=>n.reply??
"",children:"Copy"})]}),n.reply==null?r("p",{class:"quiet",children:"The model gave no reply."}):r(tl,{reply:n.reply})]}),r("section",{"aria-label":"Prompt",children:[
r("div",{class:"call-part-head",children:[r("h2",{children:"Prompt"}),r(_,{kind:"quiet",onClick:()=>l(s!==!0),children:s===!0?"Fold long ones":"Open all"}),r(Oe,
{label:"Copy as curl",kind:"plain",text:()=>Lo(t.server,n.request),children:"Copy as curl"})]}),a.length?r("ol",{class:"prompt",children:a.map((c,p)=>r(nl,{section:c,
source:o,isOpen:s??c.text.length<=el,isNewRole:a[p-1]?.role!==c.role},`${p} ${String(s)}`))}):r("p",{class:"quiet",children:"The request was not recorded."}),i.
length>0&&r("details",{class:"prompt-section",children:[r("summary",{children:"Settings of the request"}),r("dl",{class:"prompt-settings",children:i.map(([c,p])=>r(
"div",{children:[r("dt",{class:"mono",children:c}),r("dd",{class:"mono said",children:p})]},c))})]})]})]})}function tl({reply:e}){let t=Co(e);return t?.length?r(
"dl",{class:"call-reply",tabIndex:0,"aria-label":"Parts of the reply",children:t.map(([n,o])=>r("div",{class:"call-reply-part",children:[r("dt",{class:"mono sai\
d",children:n}),r("dd",{class:"said",dir:"auto",children:o})]},n))}):r("pre",{class:"said call-reply",dir:"auto",tabIndex:0,role:"group","aria-label":"Text of t\
he reply",children:e})}function nl(e){let{section:t}=e;return r("li",{children:[e.isNewRole&&r("span",{class:"prompt-role",children:t.role}),t.picture?r($o,{picture:t.
picture,source:e.source}):r("details",{class:"prompt-section",open:e.isOpen,children:[r("summary",{children:[r("bdi",{class:"clip",children:t.title}),r("span",{
class:"faint",children:[ee(t.text.length)," letters"]})]}),r("div",{class:"prompt-text said",dir:"auto",tabIndex:0,role:"group","aria-label":t.title,children:t.
text})]})]})}function Fo({film:e,source:t}){let{step:n}=e,[o,a]=v(null),[i,s]=v(0),l=n.calls.length;if(M(()=>{if(!l)return;let d=!0;return t.loadCalls(n.step).then(f=>d&&a({
step:n.step,calls:f,error:""}),f=>d&&a({step:n.step,calls:null,error:String(f instanceof Error?f.message:f)})),()=>{d=!1}},[n.step,l,t,i]),!l)return r(N,{icon:"\
bolt",title:"No model was asked",children:"This step made no call of a model."});let c=o?.step===n.step?o:null,p=F("call");return r("div",{class:"calls",children:[
c?.error&&r("p",{class:"calls-error",role:"alert",children:["The texts of the calls could not be loaded: ",r("span",{class:"said",children:c.error})," ",r(_,{icon:"\
retry",onClick:()=>s(i+1),children:"Try again"})]}),r("ol",{class:"call-list",children:n.calls.map(d=>r(rl,{call:d,loaded:c,source:t,judges:d.role==="decide"&&!d.
is_repair&&e.previous?.judged_by==="agent"?e.previous.step:null,isOpen:p===String(d.number)||p===""&&l===1},d.number))})]})}function rl(e){let{call:t,judges:n,isOpen:o}=e,
a=e.loaded?.calls?.calls.find(i=>i.number===t.number);return r("li",{class:`call${t.is_dropped?" call-dropped":""}`,children:[r("button",{type:"button",class:"c\
all-head","aria-expanded":o,onClick:()=>A({call:o?"none":t.number}),children:[r(w,{name:o?"down":"right",size:12}),r("span",{class:"call-role",children:t.agent}),
r("span",{class:"call-marks",children:[n!==null&&r(P,{title:`The reply also judges the action of step ${n}.`,children:["judges step ",n]}),t.is_repair&&r(P,{tone:"\
warn",title:"The model was asked again because its answer was invalid.",children:"repair"}),t.is_dropped&&r(P,{title:"Its result was not used.",children:"droppe\
d"}),t.attempts>1&&r(P,{tone:"warn",children:["sent ",t.attempts," times"]}),t.error&&r(P,{tone:"bad",icon:"warning",children:"failed"})]}),r("span",{class:"cal\
l-numbers",children:[r(sn,{name:"in",value:ee(t.input_tokens)}),r(sn,{name:"cached",value:ye(t.input_tokens?t.cached_tokens/t.input_tokens:null)}),r(sn,{name:"o\
ut",value:ee(t.output_tokens)}),r(sn,{name:"took",value:E(t.latency_ms/1e3)})]})]}),t.error&&r(Q,{class:"call-error",children:t.error}),o&&r("div",{class:"call-\
body",children:[r("p",{class:"call-where faint",children:[r("bdi",{class:"clip mono",title:t.model,children:t.model||"model unknown"}),r("span",{children:"at"}),
r("bdi",{class:"clip mono",title:t.server,children:t.server}),t.queue_ms>=1&&`after ${E(t.queue_ms/1e3)} in our queue`]}),a?r(Ao,{call:t,content:a,source:e.source}):
r("p",{class:"quiet",children:e.loaded?"The request was not recorded.":"Loading\u2026"})]})]})}function sn({name:e,value:t}){return r("span",{class:"call-number",
children:[r("span",{class:"faint",children:e})," ",t]})}var ol=/^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/,al=/^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
function No(e,t){let n=[];for(let o of e.split(`
`)){let a=o.replace(/\r$/,"");a&&n.push(il(a,t,n.at(-1)?.at??null))}return n}function il(e,t,n){let o=ol.exec(e);if(o)return{at:Number(o[1]),level:o[2]??"",tag:o[3]??
"",text:o[4]??""};let a=al.exec(e);if(!a)return{at:n,level:"",tag:"",text:e};let[,i,s,l,c,p,d,f="",h="",u=""]=a;return{at:new Date(Number(i??new Date(t*1e3).getFullYear()),
Number(s)-1,Number(l),Number(c)).getTime()/1e3+Number(p)*60+Number(d),level:f,tag:h,text:u}}function Bo(e,t,n){return e.filter(o=>o.at!==null&&o.at>=t&&(n===null||
o.at<n))}var Oo="VDIWEF";function Io(e,t,n){let o=Math.max(0,Oo.indexOf(t)),a=n.trim().toLowerCase();return e.filter(i=>i.level&&Oo.indexOf(i.level==="A"?"F":i.
level)<o?!1:!a||i.tag.toLowerCase().includes(a)||i.text.toLowerCase().includes(a))}var sl=500,ll=600,cl=[["V","all levels"],["I","info and worse"],["W","warnings and worse"],["E","errors"]];function Xo(e){let{report:t,film:n,source:o}=e,[a,i]=v(
null),[s,l]=v(sl),c=t.has_log?o.loadLog:void 0;M(()=>{if(!c)return;let m=!0;return c().then(g=>m&&i(No(g,t.episode.started_at)),g=>m&&i(String(g instanceof Error?
g.message:g))),()=>{m=!1}},[c,t.steps.length]);let p=F("find"),d=F("level","V"),[f,h]=dl(n.step,n.next),u=I(()=>Array.isArray(a)&&f!==null?Io(Bo(a,f,h),d,p):[],
[a,f,h,d,p]);return c?typeof a=="string"?r(N,{icon:"warning",title:"The log could not be loaded",children:r("span",{class:"said",children:a})}):r("div",{class:"\
log",children:[r("div",{class:"log-head",children:[r("input",{class:"field-input",type:"search",placeholder:"Find in tags and texts","aria-label":"Find in the l\
og",value:p,onInput:m=>A({find:m.currentTarget.value})}),r("select",{class:"field-input","aria-label":"Level",value:d,onChange:m=>A({level:m.currentTarget.value===
"V"?null:m.currentTarget.value}),children:cl.map(([m,g])=>r("option",{value:m,children:g},m))}),r("span",{class:"faint",role:"status",children:a?X(u.length,"lin\
e"):"Loading\u2026"})]}),a&&!u.length&&r("p",{class:"quiet log-none",children:p||d!=="V"?"No line of this step fits.":"The phone wrote nothing during this step."}),
r("ol",{class:"log-lines",tabIndex:0,"aria-label":"Log lines of this step",children:u.slice(0,s).map((m,g)=>r("li",{class:`log-line log-${m.level||"none"}`,children:[
r("span",{class:"num faint",children:m.at===null||f===null?"":`+${(m.at-f).toFixed(3)}\xA0s`}),r("span",{class:"log-level",children:m.level}),r("bdi",{class:"lo\
g-tag clip",title:m.tag,children:m.tag}),m.text.length>ll?r("div",{children:r(Q,{children:m.text})}):r("span",{class:"said",children:m.text})]},g))}),u.length>s&&
r(_,{onClick:()=>l(s+2e3),children:["Show more of ",k(u.length)]})]}):r(N,{icon:"list",title:"No log was recorded",children:["Run with ",r("code",{children:"--l\
ogcat"})," to keep the phone's log beside the steps."]})}function dl(e,t){let n=i=>[...i.stages.map(s=>s.start),i.taken_at??1/0],o=Math.min(...n(e)),a=t?Math.min(
...n(t)):1/0;return[Number.isFinite(o)?o:null,Number.isFinite(a)?a:null]}var ve=re(null);function jn({elements:e,all:t}){let n=ve.value,o=t?[...e].sort((a,i)=>Do(i)-Do(a)):e.filter(a=>a===n);return r("g",{class:"boxes",children:o.map(
(a,i)=>r("rect",{class:`box box-${a.kind}${a===n?" box-pointed":""}`,x:a.x1,y:a.y1,width:Math.max(1,a.x2-a.x1),height:Math.max(1,a.y2-a.y1),rx:6,onPointerEnter:()=>ve.
value=a,onPointerLeave:()=>ve.value=null},i))})}function Do(e){return(e.x2-e.x1)*(e.y2-e.y1)}function Kn(e){let t=ve.value;if(!t||!e.elements.includes(t))return null;
let[n,o]=e.size,a=t.y2>o*.8;return r("div",{class:"box-hint",style:{left:`${Math.min(70,100*t.x1/n)}%`,top:a?"auto":`${100*t.y2/o}%`,bottom:a?`${100-100*t.y1/o}\
%`:"auto"},children:[r("span",{class:"faint",children:t.kind})," ",r("bdi",{children:Gn(t)})]})}function Gn(e){return e.content||"(no name)"}function Ho(e,t){let n=e.naturalWidth,o=e.naturalHeight;if(!n||!o||t.naturalWidth!==n||t.naturalHeight!==o)return null;let a=Math.min(180,n),i=Math.max(1,Math.round(
o*a/n)),s=Jo(e,a,i),l=s&&Jo(t,a,i);if(!s||!l)return null;let c=Math.ceil(a/4),p=Math.ceil(i/4),d=new Uint8Array(c*p);for(let m=0;m<i;m+=1)for(let g=0;g<a;g+=1){
let y=4*(m*a+g);pl(s,l,y)&&(d[Math.floor(m/4)*c+Math.floor(g/4)]=1)}let f=n/a*4,h=d.reduce((m,g)=>m+g,0),u=ul(d,c,p).map(m=>({x1:Math.round(m.x1*f),y1:Math.round(
m.y1*f),x2:Math.min(n,Math.round(m.x2*f)),y2:Math.min(o,Math.round(m.y2*f))}));return{places:Wo(u,0),share:h/d.length,by:"pixels"}}function pl(e,t,n){for(let o=0;o<
3;o+=1)if(Math.abs((e[n+o]??0)-(t[n+o]??0))>24)return!0;return!1}function Jo(e,t,n){let o=document.createElement("canvas");o.width=t,o.height=n;let a=o.getContext(
"2d",{willReadFrequently:!0});if(!a)return null;try{return a.drawImage(e,0,0,t,n),a.getImageData(0,0,t,n).data}catch{return null}}function ul(e,t,n){let o=new Uint8Array(
e.length),a=[];for(let i=0;i<e.length;i+=1){if(!e[i]||o[i])continue;let s={x1:t,y1:n,x2:0,y2:0},l=[i];for(o[i]=1;l.length;){let c=l.pop(),p=c%t,d=Math.floor(c/t);
s.x1=Math.min(s.x1,p),s.y1=Math.min(s.y1,d),s.x2=Math.max(s.x2,p+1),s.y2=Math.max(s.y2,d+1);for(let f=Math.max(0,d-2);f<=Math.min(n-1,d+2);f+=1)for(let h=Math.max(
0,p-2);h<=Math.min(t-1,p+2);h+=1){let u=f*t+h;e[u]&&!o[u]&&(o[u]=1,l.push(u))}}a.push(s)}return a}var zo=12;function qo(e,t,n){let o=[...wt(e,t),...wt(t,e)],a=o.
reduce((i,s)=>i+(s.x2-s.x1)*(s.y2-s.y1),0);return{places:Wo(o,n[0]*ml),share:Math.min(1,a/Math.max(1,n[0]*n[1])),by:"elements"}}var ml=.05;function Wo(e,t){let n=[
...e];for(let o=-1;o!==n.length;){o=n.length;let a=[];for(let i of n){let s=a.findIndex(c=>fl(c,i,t)),l=a[s];l?a[s]=hl(l,i):a.push(i)}n=a}return n}function fl(e,t,n){
return e.x1-n<t.x2&&t.x1-n<e.x2&&e.y1-n<t.y2&&t.y1-n<e.y2}function hl(e,t){return{x1:Math.min(e.x1,t.x1),y1:Math.min(e.y1,t.y1),x2:Math.max(e.x2,t.x2),y2:Math.max(
e.y2,t.y2)}}function wt(e,t){let n=new Map;for(let o of t){let a=`${o.kind}:${o.content}`,i=n.get(a);i?i.push(o):n.set(a,[o])}return e.filter(o=>!n.get(`${o.kind}\
:${o.content}`)?.some(a=>gl(o,a)))}function gl(e,t){return Math.abs(e.x1-t.x1)<=zo&&Math.abs(e.y1-t.y1)<=zo}var yl=400;function Uo({film:e}){let{step:t,next:n}=e,[o,a]=v(""),[i,s]=v(!1);if(!t.elements.length)return r(N,{icon:"screen",title:"Nothing was read",children:"\
Perception read no text and no icon at this step."});let l=o.trim().toLowerCase(),c=l?t.elements.filter(f=>f.content.toLowerCase().includes(l)):t.elements,p=t.elements.
filter(jo).length,d=i?c:c.slice(0,yl);return r("div",{class:"screen-panel",children:[n&&n.screen===t.screen_after&&n.screen!==t.screen&&r(bl,{before:t.elements,
after:n.elements}),r("div",{class:"screen-panel-head",children:[r("h2",{children:[X(t.elements.length,"element")," read before the action",p>0&&`, ${p} of them \
by accessibility`]}),r(_,{icon:"layers",pressed:e.boxes,title:"Boxes on the screen (B)",onClick:()=>Ge(!e.boxes),children:"Boxes"}),r("input",{class:"field-inpu\
t",type:"search",placeholder:"Find a text","aria-label":"Find a text on the screen",value:o,onInput:f=>a(f.currentTarget.value)})]}),r("ol",{class:"element-list",
onPointerLeave:()=>ve.value=null,children:d.map((f,h)=>r(vl,{one:f,number:t.elements.indexOf(f)+1},h))}),!c.length&&r("p",{class:"quiet",children:"No element ha\
s this text."}),d.length<c.length&&r(_,{onClick:()=>s(!0),children:["Show all ",c.length]})]})}function jo(e){return e.source==="accessibility"}function vl({one:e,
number:t}){let n=()=>{ve.value=e};return r("li",{children:r("button",{type:"button",class:`element-line${ve.value===e?" element-pointed":""}`,onPointerEnter:n,onFocus:n,
onBlur:()=>ve.value=null,onClick:n,children:[r("span",{class:"num faint",children:t}),r("span",{class:`element-kind element-${e.kind}`,children:e.kind}),r("span",
{class:"element-text",children:[r("bdi",{children:Gn(e)}),jo(e)&&r("span",{class:"element-source faint",title:"The phone told of it, by its accessibility tree",
children:"accessibility"})]}),r("span",{class:"num faint element-place",children:[e.x1,", ",e.y1," \u2013 ",e.x2,", ",e.y2]})]})})}function bl(e){let t=a=>[...new Set(
a.map(i=>i.content).filter(Boolean))],n=t(wt(e.before,e.after)),o=t(wt(e.after,e.before));return!n.length&&!o.length?null:r("section",{class:"come-gone","aria-l\
abel":"What the action changed",children:[r(Vo,{icon:"plus",title:"Came",texts:o,kind:"come"}),r(Vo,{icon:"minus",title:"Went",texts:n,kind:"gone"})]})}var Yn=24;
function Vo(e){let{texts:t}=e;return t.length?r("div",{children:[r("h2",{class:"come-gone-title",children:[r(w,{name:e.icon,size:12})," ",e.title]}),r("ul",{class:"\
come-gone-texts",children:[t.slice(0,Yn).map(n=>r("li",{class:`come-gone-text come-gone-${e.kind}`,title:n,children:r("bdi",{children:n})},n)),t.length>Yn&&r("l\
i",{class:"faint",children:["and ",t.length-Yn," more"]})]})]}):null}function Ko(e,t){let n=["settle",...t,...e.map(o=>o.stage)];return[...new Set(n)].map(o=>({stage:o,bars:e.filter(a=>a.stage===o)})).filter(o=>o.bars.length>0)}function Go(e,t){
let n=Math.min(...e.map(c=>c.start)),o=Math.max(...e.map(c=>c.end)),a=Math.max(o-n,.001),i=t/a,s=xl(a/Math.max(2,Math.floor(t/90))),l=[];for(let c=0;c*s<=a;c+=1)
l.push({at:c*s,x:c*s*i});return{start:n,seconds:a,worked:e.reduce((c,p)=>c+p.end-p.start,0),perSecond:i,ticks:l,place:c=>(c-n)*i}}function xl(e){let t=10**Math.
floor(Math.log10(e));return([1,2,5,10].find(n=>n*t>=e)??10)*t}function Zn(e){let t=[`${e.stage}: ${E(e.end-e.start)}`];e.queue_ms>=1&&t.push(`of these ${E(e.queue_ms/
1e3)} in queues`);for(let[n,o]of e.away)t.push(`${E(o-n)} without a model server`);return e.assumed.length&&t.push(`began on an assumption about ${e.assumed.join(
" and ")}`),e.became==="dropped"&&t.push(`dropped${e.wrong?`, because ${e.wrong} did not end as assumed`:""}`),e.became==="discarded"&&t.push("discarded by an i\
nterruption"),e.became==="failed"&&t.push(`failed${e.error?`: ${e.error}`:""}`),t.join("; ")}var _t=30,Ne=18,kt=22,Se=76,wl=12,Yo=10;function Zo(e){let{step:t}=e.film,n=C(null),[o,a]=v(640),[i,s]=v(null);if(M(()=>{let d=n.current;if(!d)return;let f=new ResizeObserver(
()=>a(d.clientWidth));return f.observe(d),()=>f.disconnect()},[t.stages.length>0]),M(()=>s(null),[t.step]),!t.stages.length)return r(N,{icon:"clock",title:"No s\
tage has ended yet",children:"The times of a step are known once its stages have run."});let l=Ko(t.stages,e.report.stage_order),c=Go(t.stages,Math.max(120,o-Se-
wl)),p=kt+l.length*_t+6;return r("div",{class:"gantt",ref:n,children:[r("p",{class:"gantt-sum",children:[r("strong",{children:E(c.seconds)})," from the first st\
age to the last one; together the stages worked"," ",r("strong",{children:E(c.worked)}),c.worked>c.seconds*1.02&&", so some ran beside each other","."]}),r("svg",
{class:"gantt-plot",width:o,height:p,role:"group","aria-label":"Stages of the step over time",children:[r(kl,{}),c.ticks.map(d=>r("g",{class:"gantt-tick","aria-\
hidden":"true",children:[r("line",{x1:Se+d.x,x2:Se+d.x,y1:kt-4,y2:p}),r("text",{x:Se+d.x,y:kt-9,"text-anchor":d.x<10?"start":"middle",children:E(d.at)})]},d.at)),
l.map((d,f)=>r("g",{children:[r("text",{class:"gantt-name",x:Se-10,y:kt+f*_t+_t/2+4,"text-anchor":"end","aria-hidden":"true",children:d.stage.length>Yo?`${d.stage.
slice(0,Yo-1)}\u2026`:d.stage}),d.bars.map((h,u)=>r(_l,{bar:h,x:Se+c.place(h.start),end:Se+c.place(h.end),y:kt+f*_t+(_t-Ne)/2,perMs:c.perSecond/1e3,place:m=>Se+
c.place(m),isPointed:h===i,onPoint:s},u))]},d.stage))]}),r("p",{class:"gantt-said",role:"status",children:i?Zn(i):"Point at a bar, or move to it by Tab, to read\
 its numbers."}),r(Sl,{bars:t.stages}),r(El,{bars:t.stages,start:c.start,pointed:i,onPoint:s})]})}function _l(e){let{bar:t,x:n,y:o}=e,a=Math.max(3,e.end-n),i=Math.
min(a,t.queue_ms*e.perMs);return r("g",{class:`bar bar-${t.became} bar-stage-${t.stage}${t.assumed.length?" bar-assumed":""}${e.isPointed?" bar-pointed":""}`,tabIndex:0,
role:"img","aria-label":Zn(t),onFocus:()=>e.onPoint(t),onPointerEnter:()=>e.onPoint(t),children:[r("rect",{class:"bar-room",x:n-2,y:o-4,width:a+4,height:Ne+8}),
r("rect",{class:"bar-body",x:n,y:o,width:a,height:Ne,rx:3}),i>1&&r("rect",{class:"bar-queue",x:n,y:o,width:i,height:Ne,rx:3}),t.away.map(([s,l],c)=>r("rect",{class:"\
bar-away",x:e.place(s),y:o,width:Math.max(2,e.place(l)-e.place(s)),height:Ne},c)),t.became==="dropped"&&r("line",{class:"bar-strike",x1:n,x2:n+a,y1:o+Ne/2,y2:o+
Ne/2})]})}function kl(){return r("defs",{children:[r("pattern",{id:"gantt-queue",width:"6",height:"6",patternUnits:"userSpaceOnUse",patternTransform:"rotate(45)",
children:r("rect",{width:"3",height:"6",class:"pattern-queue"})}),r("pattern",{id:"gantt-away",width:"5",height:"5",patternUnits:"userSpaceOnUse",children:r("pa\
th",{d:"M0 0L5 5M5 0L0 5",class:"pattern-away"})})]})}function Sl({bars:e}){let t=[e.some(n=>n.queue_ms>1)&&{kind:"queue",text:"waited in a queue"},e.some(n=>n.
assumed.length)&&{kind:"assumed",text:"began on an assumption"},e.some(n=>n.became==="dropped")&&{kind:"dropped",text:"dropped: the assumption was wrong"},e.some(
n=>n.became==="discarded")&&{kind:"dropped",text:"discarded by an interruption"},e.some(n=>n.became==="failed")&&{kind:"failed",text:"failed"},e.some(n=>n.away.
length)&&{kind:"away",text:"no model server answered"}].filter(n=>n!==!1);return t.length?r("ul",{class:"gantt-legend","aria-label":"Legend",children:t.map(n=>r(
"li",{children:[r("svg",{width:"22",height:"12","aria-hidden":"true",children:r("g",{class:`bar bar-legend-${n.kind} ${n.kind==="queue"||n.kind==="away"?"":`bar\
-${n.kind}`}`,children:[r("rect",{class:"bar-body",x:"1",y:"1",width:"20",height:"10",rx:"2"}),n.kind==="queue"&&r("rect",{class:"bar-queue",x:"1",y:"1",width:"\
20",height:"10",rx:"2"}),n.kind==="away"&&r("rect",{class:"bar-away",x:"1",y:"1",width:"20",height:"10"}),n.kind==="dropped"&&r("line",{class:"bar-strike",x1:"1",
x2:"21",y1:"6",y2:"6"})]})}),n.text]},n.text))}):null}function El(e){return r("div",{class:"gantt-table-room",tabIndex:0,role:"group","aria-label":"Stages as a \
table",children:r("table",{class:"gantt-table",children:[r("thead",{children:r("tr",{children:[r("th",{scope:"col",children:"Stage"}),r("th",{scope:"col",class:"\
num",children:"Began"}),r("th",{scope:"col",class:"num",children:"Took"}),r("th",{scope:"col",class:"num",children:"In queues"}),r("th",{scope:"col",children:"R\
esult"})]})}),r("tbody",{children:e.bars.map((t,n)=>r("tr",{class:t===e.pointed?"gantt-row-pointed":"",onPointerEnter:()=>e.onPoint(t),children:[r("th",{scope:"\
row",class:"said",children:t.stage}),r("td",{class:"num",children:E(t.start-e.start)}),r("td",{class:"num",children:E(t.end-t.start)}),r("td",{class:"num",children:t.
queue_ms>=1?E(t.queue_ms/1e3):"\u2013"}),r("td",{children:[t.became,t.wrong&&`: ${t.wrong} ended otherwise`,t.assumed.length>0&&r("span",{class:"faint",children:[
" assumed ",t.assumed.join(", ")]}),t.error&&r(Q,{class:"gantt-error",children:t.error})]})]},n))})]})})}function ln({name:e,isReader:t,isPaused:n}){return n?t?"You have paused the episode":`${e||"A person"} has paused the episode`:t?"You have the phone":`${e||"A p\
erson"} has the phone`}function Qo({report:e,film:t,person:n}){let{step:o,previous:a}=t,i=Wn(o);return r("div",{class:"step-panel",children:[i.length>0&&r("ul",{class:"problems","aria\
-label":"Problems of this step",children:i.map((s,l)=>r("li",{class:`problem problem-${s.tone}`,children:[r(w,{name:s.tone==="quiet"?"info":"warning"}),r("div",
{children:[r("strong",{children:[s.title,"."]}),s.text&&r(Q,{children:s.text})]})]},l))}),r(Tl,{report:e,film:t,person:n}),o.thought&&r(yt,{label:"Thought",children:r(
Q,{children:o.thought})}),r(cn,{label:"Subgoal",report:e,index:t.index,part:"subgoal"}),r(cn,{label:"Plan",report:e,index:t.index,part:"plan"}),r(cn,{label:"Pro\
gress",report:e,index:t.index,part:"progress"}),r(cn,{label:"Notes",report:e,index:t.index,part:"notes"}),o.findings.some(s=>!s.is_problem)&&r(yt,{label:"What s\
tages found",children:o.findings.map((s,l)=>!s.is_problem&&r(Q,{children:`${s.stage}: ${s.text}`},l))}),o.rubrics_held.length>0&&r(yt,{label:"Milestones that he\
ld after the step",children:r("ul",{class:"step-rubrics",children:o.rubrics_held.map(s=>r("li",{children:[r(w,{name:a?.rubrics_held.includes(s)?"check":"plus",size:12}),
r("span",{class:"said",children:s})]},s))})}),r("p",{class:"step-facts faint",children:[o.model_calls," model ",o.model_calls===1?"call":"calls"," \xB7 ",ee(o.input_tokens),
" tokens in \xB7"," ",ee(o.output_tokens)," tokens out",o.app&&r(x,{children:[" \xB7 ",r("bdi",{class:"mono said",children:o.app})]})]})]})}function cn({label:e,
report:t,index:n,part:o}){let a=n===0?void 0:t.steps.slice(0,n).findLast(i=>i[o])?.[o]??"";return r(so,{label:e,text:t.steps[n]?.[o]||(a??""),before:a})}function Tl({
report:e,film:t,person:n}){let{step:o}=t,a=Kt(o),i=!o.action&&t.index===t.count-1&&!Z(e);return r("section",{class:"action-card","aria-label":"Action",children:[
r("div",{class:"action-card-head",children:[r("span",{class:"action-card-words said",dir:"auto",children:i?n?ln(n):"The step is under way":le(o)}),o.by_person&&
r(P,{tone:"accent",icon:"hand",title:"A person had taken the episode over.",children:r("bdi",{class:"clip",children:["by ",o.by_person]})}),o.outcome?r(Qe,{verdict:o.
outcome}):o.action&&r(P,{children:"no verdict"}),o.judged_by==="rule"&&r("span",{class:"faint",children:["by the rule ",r("span",{class:"said",children:o.rule})]}),
o.judged_by==="agent"&&r("span",{class:"faint",children:["by the reply of step ",o.step+1]})]}),o.typed_text&&r("p",{class:"action-card-row",children:[r("span",
{class:"faint",children:"Typed"}),r("span",{class:"said",children:o.typed_text})]}),o.expectation&&r("p",{class:"action-card-row",children:[r("span",{class:"fai\
nt",children:"Expected"}),r("span",{class:"said",children:o.expectation})]}),a&&r("p",{class:"action-card-row",children:[r("span",{class:"faint",children:"Place\
s"}),r("span",{class:"said",children:a})]})]})}function ea(e){let{film:t}=e,n={screen:t.step.elements.length,calls:t.step.calls.length};return r("div",{class:"film-panel",children:[r("div",{class:"film-tabs",
children:r(on,{label:"About the step",panel:"film-tab-panel",current:t.tab,onChange:o=>en(Ke.find(a=>a===o)??"step"),tabs:Ke.map(o=>{let a=n[o];return{id:o,title:vt[o],
...a?{count:a}:{}}})})}),r("div",{id:"film-tab-panel",class:"film-tab-panel",role:"tabpanel","aria-label":vt[t.tab],tabIndex:0,children:r(Rl,{...e})})]})}function Rl({
report:e,film:t,source:n,live:o}){switch(t.tab){case"screen":return r(Uo,{film:t});case"timing":return r(Zo,{report:e,film:t,live:o});case"calls":return r(Fo,{film:t,
source:n});case"log":return r(Xo,{report:e,film:t,source:n});default:return r(Qo,{report:e,film:t,person:o?.person})}}function ta({screen:e,source:t}){let n=e?[t.pictureUrl(e,"small"),t.pictureUrl(e,"full")]:[],o=ke(t.reach,n.filter(a=>a!==null));return o.url?r("img",{src:o.url,
alt:"",loading:"lazy",decoding:"async",draggable:!1,onError:o.onError}):r(w,{name:"image"})}var Cl=92,na=8,ra=6;function oa(e){let{report:t,film:n,source:o}=e,{steps:a}=t,i=Pl(a[0])+na,s=C(null),[l,c]=v({from:0,to:24}),[p,d]=v(null),f=()=>{let u=s.current;
if(!u)return;let m=Math.max(0,Math.floor(u.scrollLeft/i)-ra),g=Math.min(a.length,Math.ceil((u.scrollLeft+u.clientWidth)/i)+ra);c(y=>y.from===m&&y.to===g?y:{from:m,
to:g})};U(()=>{let u=s.current;if(!u)return;let m=n.index*i-(u.clientWidth-i)/2,g=Math.abs(m-u.scrollLeft)>2*u.clientWidth;u.scrollTo({left:m,behavior:g||Ml()?"\
instant":"smooth"}),f()},[n.index,a.length,i]),M(()=>{let u=new ResizeObserver(f);return s.current&&u.observe(s.current),()=>u.disconnect()},[a.length,i]);let h=(u,m)=>{
let g=m.getBoundingClientRect();d({index:u,left:g.left+g.width/2,top:g.bottom})};return r("div",{class:"strip",ref:s,onScroll:()=>{f(),d(null)},onPointerLeave:()=>d(
null),children:[r("ol",{class:"strip-track",style:{width:`${a.length*i}px`},"aria-label":"Steps",children:a.slice(l.from,l.to).map((u,m)=>{let g=l.from+m;return r(
"li",{class:"strip-place",style:{left:`${g*i}px`},"aria-setsize":a.length,"aria-posinset":g+1,children:r(Ll,{step:u,source:o,width:i-na,isShown:g===n.index,onShow:()=>me(
t,g),onPoint:y=>h(g,y)})},u.step)})}),p&&a[p.index]&&r(Al,{step:a[p.index],source:o,left:p.left,top:p.top})]})}function Ml(){return matchMedia("(prefers-reduced\
-motion: reduce)").matches}function Pl(e){let t=e?.width&&e.height?e.width/e.height:.45;return Math.round(Math.min(132,Math.max(42,Cl*t)))}function Ll(e){let{step:t,
source:n}=e,o=$l(t);return r("a",{class:`strip-step strip-${t.outcome??"none"}${e.isShown?" strip-shown":""}`,style:{width:`${e.width}px`},href:Zt(t.step),"aria\
-current":e.isShown?"step":void 0,onClick:a=>{a.ctrlKey||a.metaKey||a.shiftKey||a.button||(a.preventDefault(),e.onShow())},onPointerEnter:a=>a.pointerType==="mo\
use"&&e.onPoint(a.currentTarget),children:[r("span",{class:"strip-foot",children:[r("span",{class:"unseen",children:"Step "}),t.step,t.outcome&&r("span",{class:"\
strip-letter",children:[t.outcome,r("span",{class:"unseen",children:[": ",Le[t.outcome]]})]}),r("span",{class:"unseen",children:[". ",le(t)]})]}),r("span",{class:"\
strip-picture",children:[r(ta,{screen:t.screen,source:n}),o.length>0&&r("span",{class:"strip-marks",children:o.map(a=>r("span",{class:`strip-mark strip-mark-${a.
tone}`,title:a.text,children:r(w,{name:a.icon,size:10,label:a.text})},a.text))})]})]})}function $l(e){let t=[];return(e.failures.length||e.problem)&&t.push({icon:"\
warning",tone:"bad",text:"something failed"}),e.wrong_page!=null&&t.push({icon:"left",tone:"warn",text:"a wrong page, the agent went back"}),e.resumed.length&&t.
push({icon:"retry",tone:"accent",text:"interrupted and resumed"}),e.by_person&&t.push({icon:"hand",tone:"accent",text:"a person's action"}),t}function Al(e){let{
step:t,source:n}=e,o=t.screen?n.pictureUrl(t.screen,"full"):null,a=130;return r("div",{class:"strip-magnified",style:{left:`${Math.min(Math.max(e.left,a),innerWidth-
a)}px`,top:`${e.top+6}px`},"aria-hidden":"true",children:[o&&r("img",{src:o,alt:""}),r("span",{class:"strip-magnified-words",children:[r("strong",{children:["St\
ep ",t.step]}),t.outcome&&` \xB7 ${Le[t.outcome]}`,r("span",{class:"said",children:le(t)})]})]})}function aa({live:e}){let[t,n]=v(Date.now()/1e3);return M(()=>{let o=setInterval(()=>n(Date.now()/1e3),500);return()=>clearInterval(o)},[]),r("section",{class:"\
live","aria-label":"Now",children:[e.connection==="lost"&&r("p",{class:"live-lost",role:"alert",children:[r(w,{name:"warning"})," The connection is lost. The pa\
ge connects again by itself and then shows what it missed."]}),r("p",{class:"live-stages",children:[r("span",{class:`live-dot${e.connection==="open"?" live-dot-\
on":""}`,"aria-hidden":"true"}),e.person?r("span",{class:"said",children:Fl(e.person,t)}):e.stages.length?e.stages.map(o=>r("span",{class:"live-stage",children:[
r("span",{class:`live-colour live-${o.stage}`,"aria-hidden":"true"}),o.stage," ",r("span",{class:"faint",children:["step ",o.step]})," ",r("span",{class:"live-s\
econds",children:E(Math.max(0,Math.round(10*(t-o.since))/10))})]},`${o.step} ${o.stage}`)):r("span",{class:"quiet",children:"Between two stages"})]}),e.writing?.
text&&r("p",{class:"live-writing",children:[r("span",{class:"faint",children:[e.writing.agent," writes"]})," ",r("span",{class:"said",children:e.writing.text.slice(
-400)})]})]})}function Fl(e,t){let n=i=>E(Math.max(0,Math.round(i))),o=e.since===null?"":` for ${n(t-e.since)}`,a=e.endsAt===null?"":` Without another action, ${e.
isByHand?"it is free again":"the agent gets it back"} in ${n(e.endsAt-t)}.`;return`${ln(e)}${o}.${a}`}function St({step:e,width:t}){let n=t/100,o=e.touches.length>1;return r("g",{class:`action ${e.by_person?"action-person":""}`,children:e.touches.map((a,i)=>r("g",
{children:[Jn(a)?r(Nl,{touch:a,unit:n}):r(Ol,{step:e,touch:a,unit:n}),o&&r(Bl,{touch:a,unit:n,number:i+1})]},i))},e.step)}function Ol({step:e,touch:t,unit:n}){let o={
cx:t.x1,cy:t.y1};return r(x,{children:[r("circle",{class:"action-pulse",...o,r:4.2*n}),r("circle",{class:"action-case",...o,r:4.2*n}),r("circle",{class:"action-\
ring",...o,r:4.2*n}),e.action_kind==="Long_Press"&&r("circle",{class:"action-ring",...o,r:6.4*n}),r("circle",{class:"action-dot",...o,r:1.3*n})]})}function Nl({
touch:e,unit:t}){let{x1:n,y1:o,x2:a,y2:i}=e,s=Math.atan2(i-o,a-n),l=d=>{let f=s+Math.PI-d;return`${a+Math.cos(f)*6*t} ${i+Math.sin(f)*6*t}`},c=`M${n} ${o}L${a} ${i}`,
p=`M${l(.5)}L${a} ${i}L${l(-.5)}`;return r(x,{children:[r("path",{class:"action-case",d:c}),r("path",{class:"action-case",d:p}),r("path",{class:"action-ring",d:c}),
r("path",{class:"action-ring",d:p}),r("path",{class:"action-flow",d:c,pathLength:100}),r("circle",{class:"action-case",cx:n,cy:o,r:2.6*t}),r("circle",{class:"ac\
tion-start",cx:n,cy:o,r:2.6*t})]})}function Bl({touch:e,unit:t,number:n}){return r("text",{class:"action-number",x:e.x1+5*t,y:e.y1-4*t,"font-size":5*t,children:n})}
function ia({step:e}){let t=ro(e);return!t&&!e.typed_text&&!e.by_person?null:r("div",{class:"action-caption",children:[e.by_person&&r("span",{class:"action-chip\
 action-by",children:[r(w,{name:"hand",size:12}),r("bdi",{class:"clip",children:e.by_person})]}),e.typed_text&&r("span",{class:"action-typed",children:[r(w,{name:"\
keyboard",size:14,label:"typed"}),r("span",{class:"said",children:e.typed_text})]}),t&&r("span",{class:"action-chip said",children:t})]})}function Be(e){let{screen:t,size:n}=e,o=e.source.pictureUrl(t,"full"),a=ke(e.source.reach,o===null?[]:[o]);return r("div",{class:`shot ${e.class??""}`,style:{"-\
-ratio":String(n[0]/n[1])},children:[a.url?r("img",{class:"shot-picture",src:a.url,alt:e.label,width:n[0],height:n[1],decoding:"async",draggable:!1,onError:a.onError}):
r("div",{class:"shot-missing",role:"img","aria-label":e.label,children:[r(w,{name:"image",size:24}),r("span",{children:Il(o,a)})]}),e.marks&&r("svg",{class:"sho\
t-marks",viewBox:`0 0 ${n[0]} ${n[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:e.marks}),e.children]})}function Il(e,t){return e?t.isMissing?"T\
his screen could not be loaded.":"This screen is loaded as soon as it can be reached.":"This report was made without screens."}function sa(e,t){let n=t.filter(Boolean).
join(" ");M(()=>{let o=n.split(" ").filter(Boolean).map(a=>{let i=new Image,s=e.pictureUrl(a,"full");return s&&(i.src=s),i});return()=>o.splice(0)},[n,e])}var Xl=300,Et=new Map;function la(e,t,n){let{screen:o,screen_after:a}=t,i=o&&a?`${o} ${a}`:"",[s,l]=v(null);return M(()=>{if(!o||!a||Et.has(i))return;let c=!0,p=d=>{
Et.size>Xl&&Et.clear(),Et.set(i,d),c&&l({pair:i,changes:d})};return Dl(e,t,n).then(p,()=>{}),()=>{c=!1}},[i,e,n?.elements.length]),i?Et.get(i)??(s?.pair===i?s.changes:
null):null}async function Dl(e,t,n){let{screen:o,screen_after:a}=t;if(o===a)return{places:[],share:0,by:"pixels"};let i=[o,a].map(l=>l?e.pictureUrl(l,"full"):null);
if(i[0]&&i[1]){let[l,c]=await Promise.all([xt(e.reach,i[0]),xt(e.reach,i[1])]),p=l&&c&&Ho(l,c);if(p)return p}let s=n&&n.screen===a?n.elements:null;if(!s||!t.elements.
length)throw new Error("nothing to compare");return qo(t.elements,s,[t.width??1,t.height??1])}var Jl=.5;function da(e){let{film:t,source:n}=e,{step:o,next:a}=t;sa(n,[a?.screen,a?.screen_after,t.previous?.screen]);let i=la(n,o,a),s={...e,changes:i},l=o.screen_after?
r(zl,{...s}):r(ma,{children:e.missing});return t.view==="slider"&&o.screen&&o.screen_after?r(Hl,{...s}):t.view!=="side"?r("div",{class:"stage stage-one",children:t.
face==="after"?l:r(ca,{...s})}):r("div",{class:"stage stage-side",children:[r(ca,{...s}),l]})}function Qn(e,t,n){return e.sizes?.[t]??[n.step.width??1080,n.step.
height??2400]}function ca({report:e,film:t,source:n}){let{step:o}=t;if(!o.screen)return r(ma,{children:"No screen was taken at this step."});let a=Qn(e,o.screen,
t);return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-caption",children:[r("strong",{children:"Before"}),r("span",{class:"faint",children:Ye(
o.taken_at)}),o.app&&r("bdi",{class:"clip faint mono",children:o.app})]}),r("div",{class:"shot-room",children:r(Be,{source:n,screen:o.screen,size:a,label:`Scree\
n before the action of step ${o.step}`,marks:r(x,{children:[r(jn,{elements:o.elements,all:t.boxes}),r(St,{step:o,width:a[0]})]}),children:[r(Kn,{elements:o.elements,
size:a}),r(ia,{step:o})]})})]})}function zl({report:e,film:t,source:n,changes:o}){let{step:a,next:i}=t,s=a.screen_after,l=Qn(e,s,t),c=i?.screen===s?i.elements:[],
p=i?.taken_at!=null&&a.taken_at!=null&&i.screen===s?i.taken_at-a.taken_at:null;return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-ca\
ption",children:[r("strong",{children:"After"}),p!==null&&r("span",{class:"faint",children:["+",E(p)]}),r(ua,{step:t,changes:o})]}),r("div",{class:"shot-room",children:r(
Be,{source:n,screen:s,size:l,label:`Screen after the action of step ${a.step}`,marks:r(x,{children:[t.changes&&r(pa,{changes:o}),r(jn,{elements:c,all:t.boxes})]}),
children:r(Kn,{elements:c,size:l})})})]})}function pa({changes:e}){return!e||e.share>Jl?null:r("g",{children:e.places.map((t,n)=>r("rect",{class:"change",x:t.x1,
y:t.y1,width:t.x2-t.x1,height:t.y2-t.y1,rx:8},n))})}function ua({step:e,changes:t}){if(e.step.screen===e.step.screen_after)return r("span",{class:"stage-same",children:"\
the same picture"});if(!t)return null;if(!t.places.length)return r("span",{class:"stage-same",children:"no change to see"});let n=t.share<.01?"under 1\xA0%":ye(
t.share);return r("span",{class:"faint",title:t.by==="elements"?"Found from what was read off the screens.":void 0,children:[n," changed"]})}function Hl(e){let{
report:t,film:n,source:o,changes:a}=e,{step:i}=n,[s,l]=v(50),c=Qn(t,i.screen,n);return r("div",{class:"stage stage-one",children:r("figure",{class:"stage-figure",
children:[r("figcaption",{class:"stage-caption",children:[r("strong",{children:"Before"}),r("span",{class:"faint",children:"left of the line,"}),r("strong",{children:"\
after"}),r("span",{class:"faint",children:"right of it"}),r(ua,{step:n,changes:a})]}),r("div",{class:"shot-room",children:r(Be,{source:o,screen:i.screen_after,size:c,
label:`Screen after the action of step ${i.step}`,marks:n.changes&&r(pa,{changes:a}),children:[r("div",{class:"slider-before",style:{clipPath:`inset(0 ${100-s}%\
 0 0)`},children:r(Be,{source:o,screen:i.screen,size:c,label:`Screen before the action of step ${i.step}`,marks:r(St,{step:i,width:c[0]})})}),r("div",{class:"sl\
ider-line",style:{left:`${s}%`},"aria-hidden":"true",children:r("span",{class:"slider-knob",children:[r(w,{name:"left",size:12}),r(w,{name:"right",size:12})]})}),
r("input",{class:"slider-input",type:"range",min:0,max:100,value:s,"aria-label":"How much of the screen before is shown","aria-valuetext":`${s} percent before, ${100-
s} percent after`,onInput:p=>l(Number(p.currentTarget.value)),onKeyDown:p=>/^(Arrow|Home|End|Page)/.test(p.key)&&p.stopPropagation()})]})})]})})}function ma({children:e}){
return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-caption",children:r("strong",{children:"After"})}),r("div",{class:"stage-none",children:e})]})}
function fa(e,t,n){return`${`Step ${t.step.step} ${bt(e)}`.trim()}: ${le(t.step)}${n&&`, ${n}`}`}var ql=460,Wl=400,dn=12;function ha(e,t,n){U(()=>{let o=e.current;if(!o)return;let a=()=>{let s=o.querySelector(".film-reel"),l=n?o.querySelector(".film-head"):
s,c=Math.min(ql,Vl(l??o)+dn);o.style.setProperty("--stage-height",`${Math.max(Wl,innerHeight-c-dn)}px`),o.style.setProperty("--reel",n?"0px":`${(s?.offsetHeight??
0)+dn}px`)},i=new ResizeObserver(a);for(let s of o.querySelectorAll(".film-head, .film-reel"))i.observe(s);return addEventListener("resize",a),a(),()=>{i.disconnect(),
removeEventListener("resize",a)}},[e,t,n])}function Vl(e){let t=e.closest(".film")??e,n=t.querySelector(".film-head");return t.getBoundingClientRect().top+scrollY+
(n?.offsetHeight??0)+(e===n?0:dn+e.offsetHeight)}function er(e){let{source:t,live:n}=e,o=I(()=>n?e.report:oo(e.report),[e.report,n!==void 0]),a=C(""),i=mo(o,a.current===o.episode.id);i?.isFollowing&&(a.current=
o.episode.id);let s=xo(o,i,t),[l,c]=v({step:-1,words:""});ko(o,i,s,f=>c({step:i?.step.step??-1,words:f}));let p=C(null),d=!!e.surface;return ha(p,i!==null,d),r(
"article",{class:`film${d?" film-taken":""}`,ref:p,children:[r(_o,{report:o,person:n?.person,tools:e.tools}),r(ho,{report:o}),i?r(x,{children:[r("section",{class:"\
film-reel panel","aria-label":"Film",children:[n&&!Z(o)&&r(aa,{live:n}),!n&&jt(t.reach)&&r(Zr,{}),r(oa,{report:o,film:i,source:t}),r(wo,{report:o,film:i,player:s,
note:l.step===i.step.step?l.words:""})]}),r("section",{class:"film-stage","aria-label":"Screens of the step",children:e.surface??r(x,{children:[r(jl,{film:i}),r(
"div",{class:"film-stage-room",children:r(da,{report:o,film:i,source:t,missing:r(Kl,{report:o,film:i})})})]})}),r(ea,{report:o,film:i,source:t,live:n}),r("p",{class:"\
unseen","aria-live":"polite",children:fa(o,i,i.step.outcome?Le[i.step.outcome]:"")})]}):e.surface??r(N,{icon:"image",title:Z(o)?"No step was taken":"No step yet",
children:Z(o)?"The episode ended before its first screen was taken.":"The first screen appears as soon as the phone has sent it."})]})}var Ul={side:"Side by sid\
e",slider:"Slider",one:"One screen"};function jl({film:e}){return r("div",{class:"film-stage-tools",role:"group","aria-label":"How screens are shown",children:[
r("div",{class:"segments",title:"Layout (V)",children:Ae.map(t=>r(_,{kind:"quiet",pressed:e.view===t,onClick:()=>tn(t),children:Ul[t]},t))}),r(_,{icon:"layers",
pressed:e.boxes,title:"Boxes of what was read (B)",onClick:()=>Ge(!e.boxes),children:"Boxes"}),r(_,{icon:"filter",pressed:e.changes,title:"Mark what changed (D)",
onClick:()=>nn(!e.changes),children:"Changes"})]})}function Kl({report:e,film:t}){let n=t.index===t.count-1;return n&&!Z(e)?r("span",{children:"The step is unde\
r way."}):t.step.action?r("span",{children:n?"The episode ended before another screen was taken.":"No screen was taken after the action."}):r("span",{children:"\
No action was sent at this step."})}var pn=new Map,tr=new Map,ga;window.manyhandsReport=(e,t)=>pn.get(e)?.(t);var et=class extends Error{constructor(n){super(`The report has no "${n}".`);this.part=
n}part};function ya(){return document.getElementById("app")?.dataset.first??"run"}function Tt(e){let t=tr.get(e);return t||(t=ht(Ie,()=>Yl(e)).then(Zl),tr.set(e,
t),t.catch(()=>tr.delete(e))),t}function Ie(){return un().size?Promise.resolve(!0):new Promise(e=>{let t=document.createElement("link"),n=o=>{t.remove(),e(o)};t.
rel="stylesheet",t.media="not all",t.onload=()=>n(!0),t.onerror=()=>n(!1),t.href=`report/report.css?${Date.now()}-${Gl+=1}`,document.head.append(t)})}var Gl=0;function Yl(e){
let t=un().get(e);return t?Promise.resolve(t.textContent.trim()):un().size?Promise.reject(new et(e)):new Promise((n,o)=>{let a=document.createElement("script"),
i=()=>{pn.delete(e),a.remove()};pn.set(e,s=>{i(),n(s)}),a.onload=a.onerror=()=>{pn.has(e)&&(i(),o(new et(e)))},a.src=`report/${e.split("/").map(encodeURIComponent).
join("/")}.js`,document.head.append(a)})}function un(){return ga??=new Map(Array.from(document.querySelectorAll('script[type="text/plain"][data-name]'),e=>[e.dataset.
name??"",e])),ga}async function Zl(e){let t=Uint8Array.from(atob(e),o=>o.charCodeAt(0)),n=new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));return JSON.
parse(await new Response(n).text())}function Rt(e,t="full",n=""){if(!/^[0-9a-f]{16,64}$/.test(e))return null;let o=un();return o.size?o.get(`screens/${e}`)?.textContent.
trim()||null:n+(t==="small"?`thumbnails/${e}.jpg`:`screens/${e}.png`)}function be(e){let[t,n]=v({name:e,loading:{state:"loading"}});return M(()=>{let o=!0,a=i=>{o&&n({name:e,loading:i})};return Tt(e).then(i=>a({state:"ready",part:i}),
i=>a({state:"failed",error:i instanceof Error?i:new Error(String(i))})),()=>{o=!1}},[e]),t.name===e?t.loading:{state:"loading"}}function mn({id:e,place:t}){let n=be(`${t.parts}episodes/${e}`);return r(Ct,{loading:n,children:o=>r("main",{class:"episode-page",children:r(Ql,{report:o,place:t})})})}
function Ql({report:e,place:t}){let{parts:n,pictures:o}=t,a=I(()=>nr(e,{parts:n,pictures:o}),[e,n,o]);return r(er,{report:e,source:a})}function nr(e,{parts:t,pictures:n}){
let{id:o}=e.episode,a=async s=>(await Tt(`${t}calls/${o}`)).find(c=>c.step===s)??{step:s,calls:[]},i=async()=>(await Tt(`${t}logs/${o}`)).join(`
`);return{pictureUrl:(s,l)=>n===null?null:Rt(s,l,n),loadCalls:a,reach:Ie,...e.has_log?{loadLog:i}:{}}}function va(e){let t=C(null),n=ct();return M(()=>{let o=t.current;return o?.showModal(),()=>o?.close()},[]),r("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":n,onCancel:o=>{o.preventDefault(),e.onClose()},onClick:o=>o.target===t.current&&e.onClose(),children:r("div",{class:"dialog-inside",children:[
r("header",{class:"dialog-head",children:[r("h2",{id:n,children:e.title}),r(_,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),r("div",{class:"di\
alog-body",children:e.children}),e.foot&&r("footer",{class:"dialog-foot",children:e.foot})]})})}var ec={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function ba(){let[e,t]=v(!1);return ae("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),r(x,{children:[r(_,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&r(va,{title:"Keys",onClose:()=>t(
!1),children:[...Fe.value].reverse().map(n=>r("section",{class:"keyhelp",children:[r("h3",{children:n.title}),r("dl",{children:n.keys.map(o=>r("div",{children:[
r("dt",{children:o.key.split("+").map(a=>r("kbd",{children:ec[a]??a},a))}),r("dd",{children:o.does})]},o.key))})]},n.title))})]})}var tc={system:"light",light:"dark",dark:"system"},nc={system:"screen",light:"sun",dark:"moon"},rc={system:"Colours: as the system",light:"Colours: light",dark:"\
Colours: dark"};function xa(){let e=ft.value;return r(_,{icon:nc[e],label:rc[e],kind:"quiet",onClick:()=>Kr(tc[e])})}function Mt({crumbs:e}){return r("header",{class:"report-head",children:[r("span",{class:"report-name",children:"Manyhands"}),r("nav",{class:"report-crumbs","ar\
ia-label":"Place",children:r("ol",{children:e.map((t,n)=>r("li",{"aria-current":n===e.length-1?"page":void 0,children:[r(w,{name:"right",size:12}),t.href?r("a",
{class:"clip",href:t.href,children:t.title}):r("span",{class:"clip",children:t.title})]},n))})}),r("div",{class:"report-tools",children:[r(Oe,{label:"Copy this \
address",text:()=>location.href}),r(ba,{}),r(xa,{})]})]})}var wa=12;function fn(e,t,n){let[o,a]=v({first:0,end:Math.min(t,40)});return U(()=>{let i=0,s=()=>{i=0;let p=e.current?.getBoundingClientRect();if(!p)return;let d=Math.
max(0,Math.floor(-p.top/n)-wa),f=Math.min(t,Math.ceil((innerHeight-p.top)/n)+wa);a(h=>h.first===d&&h.end===f?h:{first:Math.min(d,t),end:Math.max(f,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,n]),{first:Math.min(
o.first,t),end:Math.min(Math.max(o.end,o.first),t)}}function _a(e){let t=C(null),{items:n,height:o}=e,{first:a,end:i}=fn(t,n.length,o);return r("ul",{ref:t,class:e.class,"aria-label":e.label,style:{height:`${n.length*
o}px`,position:"relative"},children:n.slice(a,i).map((s,l)=>r("li",{"aria-setsize":n.length,"aria-posinset":a+l+1,style:{position:"absolute",insetInline:"0",height:`${o}\
px`,top:`${(a+l)*o}px`},children:e.children(s,a+l)},e.keyOf(s)))})}var oc=.5;function ka(e){let t=Number(F("from","0")),n=Number(F("to",String(e)));return Number.isFinite(t)&&Number.isFinite(n)&&n>t?Sa({from:t,to:n},e):{from:0,
to:e}}function Sa({from:e,to:t},n){let o=Math.min(Math.max(t-e,Math.min(oc,n)),n),a=Math.min(Math.max(0,e),n-o);return{from:a,to:a+o}}function ue(e,t){let{from:n,
to:o}=Sa(e,t),a=n<=0&&o>=t;A(a?{from:"",to:""}:{from:n.toFixed(2),to:o.toFixed(2)})}function Xe(e,t,n,o){ue({from:t-(t-e.from)*n,to:t+(e.to-t)*n},o)}function Pt(e,t,n){
let o=(e.to-e.from)*t;ue({from:e.from+o,to:e.to+o},n)}var Ea={fault:["fault","bad"],resumed:["resumed","accent"],outage:["outage","warn"],paused:["paused","warn"],taken_over:["taken over","accent"]},Ta=15;function Ra({
report:e}){let{events:t,phones:n}=e;if(!t.length)return null;let o=Math.max(1,...n.flatMap(i=>i.episodes.map(s=>s.end))),a=i=>ue({from:i.at-Ta,to:(i.end??i.at)+
Ta},o);return r("section",{class:"panel",children:[r("header",{class:"panel-head",children:r("h2",{children:"Faults, resumptions and persons' holds"})}),r(_a,{items:t,
height:36,keyOf:i=>`${i.at} ${i.kind} ${i.phone} ${i.text}`,label:"Events of the run",children:i=>r("button",{type:"button",class:"timeline-event",onClick:()=>a(
i),children:[r("span",{class:"num",children:Ye(e.started_at+i.at)}),r(P,{tone:Ea[i.kind][1],children:Ea[i.kind][0]}),r("span",{class:"clip",title:i.text,children:i.
text}),r("span",{class:"clip mono faint",title:i.phone,children:i.phone})]})})]})}function Ca(e){let t=document.createElement("span");document.body.append(t);let n=getComputedStyle(t),o={};for(let a of e)t.style.color=`var(${a})`,o[a]=n.color;
return t.remove(),o}var J={failed:{title:"Failed",tone:"bad",icon:"cross",fill:"--bad-fill"},undecided:{title:"Undecided",tone:"warn",icon:"warning",fill:"--warn-fill"},cancelled:{
title:"Cancelled",tone:"quiet",icon:"minus",fill:"--quiet-fill"},done:{title:"Done",tone:"good",icon:"check",fill:"--good-fill"}},xe=Object.keys(J);function ce(e){
return e?e.replaceAll("_"," "):"no end"}var rr={capture:"--stage-capture",settle:"--stage-other",perceive:"--stage-perceive",verify:"--stage-verify",reflect:"--\
stage-verify",plan:"--stage-plan",decide:"--stage-decide",act:"--stage-act",note:"--stage-note"};function fe(e){return rr[e]??"--stage-other"}function Ma(e){let t="",n=!1;for(let o of e)t+=o?`${n?"L":"M"}${o[0].toFixed(1)} ${o[1].toFixed(1)}`:"",n=o!==null;return t}function Pa(e){if(!(e>0))return[0,1];
let t=e/3,n=10**Math.floor(Math.log10(t)),o=n*([1,2,2.5,5,10].find(i=>i*n>=t)??10),a=Math.ceil(e/o-1e-9);return Array.from({length:a+1},(i,s)=>Number((s*o).toPrecision(
12)))}var ac=[.1,.2,.5,1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,14400,43200,86400];function La(e,t,n){let o=ac.find(i=>(t-e)/i<=n)??Math.ceil((t-e)/n/86400)*
86400,a=Math.ceil(e/o);return Array.from({length:Math.max(0,Math.floor(t/o)-a+1)},(i,s)=>(a+s)*o)}function W(e,t){let{from:n,to:o}=e.span;return e.left+(t-n)/(o-n)*(e.width-e.left)}function tt(e,t){let{from:n,to:o}=e.span;return n+(t-e.left)/(e.width-e.left)*
(o-n)}function De(e,t){return[26+t*24-e.scrolled+8/2,16]}function $a(e,t,n,o){if(o<26||n<e.left)return null;let a=t[Math.floor((o-26+e.scrolled)/24)];if(!a)return null;
let i=(e.span.to-e.span.from)/(e.width-e.left)*2,s=tt(e,n),l=a.episodes.find(p=>s>=p.start-i&&s<=p.end+i);if(!l)return null;let c=l.steps.findLast(p=>p.start<=s+
i)??l.steps[0]??null;return{track:a,episode:l,step:c}}var Oa=[...new Set(["--surface","--hairline","--edge","--hover","--text","--text-2","--text-3","--accent","--bad","--warn","--warn-soft","--quiet-soft","--stage\
-other",...Object.values(rr),...Object.values(J).map(e=>e.fill)])],ic=9,Aa=new WeakMap,sc={paused:"--warn",taken_over:"--accent"},lc={A:"--good-fill",B:"--bad-f\
ill",C:"--warn-fill"};function Na(e,t){let{layout:n,phones:o,colours:a}=t;e.clearRect(0,0,n.width,n.height),e.font=`11px ${t.font}`,e.textBaseline="middle";let i=Math.
max(0,Math.floor(n.scrolled/24)),s=Math.min(o.length,Math.ceil((n.scrolled+n.height-26)/24));vc(e,t),cc(e,t),e.save(),e.beginPath(),e.rect(n.left,26,n.width-n.left,
n.height-26),e.clip();for(let l=i;l<s;l+=1){let c=o[l];if(c)for(let p of c.episodes)pc(e,t,l,p)}xc(e,t),bc(e,t),e.restore(),wc(e,t,i,s),dc(e,t),e.fillStyle=a["-\
-hairline"]??"",e.fillRect(0,25,n.width,1)}function cc(e,{layout:t,colours:n}){e.fillStyle=n["--hairline"]??"";for(let o of Ba(t))e.fillRect(Math.round(W(t,o)),
26,1,t.height-26)}function Ba(e){return La(e.span.from,e.span.to,Math.max(2,Math.floor((e.width-e.left)/90)))}function dc(e,{layout:t,colours:n}){e.fillStyle=n["\
--surface"]??"",e.fillRect(0,0,t.width,25),e.fillStyle=n["--text-3"]??"",e.textAlign="left";for(let o of Ba(t)){let a=W(t,o);a<t.width-50&&e.fillText(E(o),a+4,26/
2)}}function pc(e,t,n,o){let{layout:a,colouring:i,colours:s,tasks:l,marked:c}=t,p=W(a,o.start),d=Math.max(W(a,o.end),p+2);if(d<a.left||p>a.width)return;let[f,h]=De(
a,n);e.globalAlpha=l.has(o.task)?1:.16;let u=s[J[o.verdict].fill]??"";e.fillStyle=s["--quiet-soft"]??"",e.fillRect(p,f,d-p,h);let m=(d-p)/Math.max(1,o.steps.length);
if(i==="ending"||m<2)e.fillStyle=u,e.fillRect(p,f,Math.max(2,d-p-1),h),i==="ending"&&m>6&&gc(e,t,o,f,h);else if(i==="stage"&&m<ic)uc(e,t,o,p,d,f,h);else for(let g of o.
steps)fc(e,t,g,f,h);i!=="ending"&&(e.fillStyle=u,e.fillRect(p,f+h,Math.max(2,d-p-1),3)),c?.episode===o&&yc(e,t,c.step,p,d,f,h),e.globalAlpha=1}function uc(e,{layout:t,
colours:n},o,a,i,s,l){let c=s;for(let[p,d]of mc(o))e.fillStyle=n[fe(p)]??"",e.fillRect(a,c,Math.max(2,i-a-1),d*l+.3),c+=d*l;if(e.fillStyle=n["--surface"]??"",!((i-
a)/Math.max(1,o.steps.length)<4))for(let p of o.steps.slice(1))e.fillRect(W(t,p.start)-.5,s,.5,l)}function mc(e){let t=Aa.get(e);if(!t){let n=new Map;for(let a of e.
steps)for(let[i,s,l]of a.stages)n.set(i,(n.get(i)??0)+l-s);let o=[...n.values()].reduce((a,i)=>a+i,0)||1;t=[...n].map(([a,i])=>[a,i/o]),Aa.set(e,t)}return t}function fc(e,t,n,o,a){
let{layout:i,colouring:s,colours:l}=t,c=W(i,n.start),p=W(i,n.end);if(p<i.left||c>i.width)return;if(s==="verdict"){e.fillStyle=l[lc[n.outcome??""]??"--stage-othe\
r"]??"",e.fillRect(c,o,Math.max(1,p-c-1),a);return}let d=hc(n,p-c>60),f=a/d.count;n.stages.forEach(([h,u,m],g)=>{let y=W(i,u);e.fillStyle=l[fe(h)]??"",e.fillRect(
y,o+(d.of[g]??0)*f,Math.max(.7,W(i,m)-y),f)}),p-c>8&&(e.fillStyle=l["--surface"]??"",e.fillRect(c-.5,o,1,a))}function hc(e,t){if(!t)return{count:1,of:e.stages.map(
()=>0)};let n=[],o=e.stages.map(([,a,i])=>{let s=n.findIndex(l=>l<=a+.001);return s<0&&(s=n.length<3?n.length:2),n[s]=i,s});return{count:Math.max(1,n.length),of:o}}
function gc(e,t,n,o,a){e.fillStyle=t.colours["--surface"]??"";for(let i of n.steps.slice(1))e.fillRect(W(t.layout,i.start)-.5,o,1,a)}function yc(e,{layout:t,colours:n},o,a,i,s,l){
if(e.globalAlpha=1,e.strokeStyle=n["--edge"]??"",e.lineWidth=1,e.strokeRect(a-.5,s-1.5,i-a+1,l+4),!o)return;let c=W(t,o.start);e.strokeStyle=n["--text"]??"",e.lineWidth=
2,e.strokeRect(c,s-1,Math.max(3,W(t,o.end)-c),l+2)}function vc(e,{layout:t,events:n,colours:o}){e.fillStyle=o["--warn-soft"]??"";for(let a of n){if(a.phone||a.end==
null)continue;let i=Math.max(t.left,W(t,a.at)),s=Math.min(t.width,W(t,a.end));s>i&&e.fillRect(i,26,s-i,t.height-26)}}function bc(e,t){let{layout:n,events:o,phones:a,
colours:i}=t,s=new Map(a.map((l,c)=>[l.phone,c]));for(let l of o){if(Ia(l))continue;let c=W(n,l.at);if(c<n.left-6||c>n.width+6)continue;e.fillStyle=i[l.kind==="\
resumed"?"--accent":"--bad"]??"";let p=s.get(l.phone);if(p===void 0)e.fillRect(c-.5,26,1,n.height-26),Fa(e,c,26);else{let[d,f]=De(n,p);e.fillRect(c-.5,d-3,1.5,f+
6),Fa(e,c,d-4)}}}function Ia(e){return e.kind==="paused"||e.kind==="taken_over"}function xc(e,{layout:t,events:n,phones:o,colours:a}){let i=new Map(o.map((s,l)=>[
s.phone,l]));for(let s of n){let l=Ia(s)?i.get(s.phone):void 0;if(l===void 0)continue;let c=W(t,s.at),p=Math.max(c+3,W(t,s.end??s.at));if(p<t.left||c>t.width)continue;
let[d]=De(t,l);e.fillStyle=a[sc[s.kind]??""]??"",e.fillRect(c,d-3.5,p-c,3),s.kind==="paused"?(e.fillRect(c,d-3.5,2.5,9),e.fillRect(c+4,d-3.5,2.5,9)):(e.beginPath(),
e.arc(c+3,d+1,4.5,0,2*Math.PI),e.fill())}}function Fa(e,t,n){e.beginPath(),e.moveTo(t-4.5,n),e.lineTo(t+4.5,n),e.lineTo(t,n+7),e.closePath(),e.fill()}function wc(e,t,n,o){
let{layout:a,phones:i,colours:s,marked:l}=t;e.fillStyle=s["--surface"]??"",e.fillRect(0,26,a.left,a.height-26),e.textAlign="left";for(let c=n;c<o;c+=1){let p=i[c];
if(!p)continue;let[d,f]=De(a,c);e.fillStyle=s[l?.track===p?"--text":"--text-2"]??"",e.fillText(_c(e,p.phone||"no phone",a.left-20),12,d+f/2+1)}e.fillStyle=s["--\
hairline"]??"",e.fillRect(a.left-1,26,1,a.height-26)}function _c(e,t,n){if(e.measureText(t).width<=n)return t;let o=Math.min(t.length,40);for(;o>1&&e.measureText(
`\u2026${t.slice(-o)}`).width>n;)o-=1;return`\u2026${t.slice(-o)}`}function Da(e,t,n,o){if(!t)return kc(e,o);if(n==="next"||n==="before"){let s=or(t.track),l=s.findIndex(c=>c.episode===t.episode&&c.step===t.step);return s[l+(n===
"next"?1:-1)]??t}let a=t.step?.start??t.episode.start,i=n==="below"?1:-1;for(let s=e.indexOf(t.track)+i;s>=0&&s<e.length;s+=i){let l=e[s],c=l?or(l):[];if(c.length)
return c.reduce((p,d)=>Xa(d,a)<Xa(p,a)?d:p)}return t}function kc(e,t){for(let n of e){let o=or(n),a=o.find(i=>(i.step?.start??i.episode.start)>=t)??o[0];if(a)return a}
return null}function or(e){return e.episodes.flatMap(t=>t.steps.length?t.steps.map(n=>({track:e,episode:t,step:n})):[{track:e,episode:t,step:null}])}function Xa(e,t){
return Math.abs((e.step?.start??e.episode.start)-t)}function hn(e,t){let{offsetWidth:n,offsetHeight:o}=e,a=Math.max(8,Math.min(t.left+t.width/2-n/2,innerWidth-n-8)),i=t.bottom+8,s=i+o<=innerHeight-8?i:Math.max(8,
t.top-o-8);e.style.left=`${a}px`,e.style.top=`${s}px`}function gn({screen:e,label:t="",class:n=""}){let o=e?[Rt(e,"small"),Rt(e,"full")]:[],a=ke(Ie,o.filter(i=>i!==null));return a.url?r("img",{class:`picture ${n}`,
src:a.url,alt:t,loading:"lazy",decoding:"async",draggable:!1,onError:a.onError}):r("span",{class:`picture picture-none ${n}`})}function ar({pointed:e,startedAt:t,goal:n}){let o=C(null);U(()=>{o.current&&hn(o.current,e.at)},[e]);let{track:a,episode:i,step:s}=e,l=J[i.verdict];return r("di\
v",{ref:o,class:"timeline-card","aria-hidden":"true",children:[s?.screen&&r(gn,{screen:s.screen,class:"timeline-picture"}),r("div",{class:"timeline-about",children:[
r("p",{class:"timeline-goal",children:n||i.task}),r("p",{class:"faint mono clip",children:[i.task," \xB7 ",a.phone||"no phone"]}),r("p",{class:"timeline-badges",
children:[r(P,{tone:l.tone,icon:l.icon,children:ce(i.ending)}),s&&r(Qe,{verdict:s.outcome})]}),s&&r(x,{children:[r("p",{children:[r("b",{children:["Step ",s.step]}),
" ",r("span",{class:"quiet",children:E(s.end-s.start)})," ",r("span",{class:"faint",children:["at ",Ye(t+s.start)]})]}),r("ul",{class:"timeline-stages",children:s.
stages.slice(0,8).map(([c,p,d],f)=>r("li",{children:[r("i",{style:{background:`var(${fe(c)})`}}),c," ",r("span",{class:"num faint",children:E(d-p)})]},f))})]})]})]})}var Sc=[["as expected","--good-fill"],["wrong page","--bad-fill"],["no change","--warn-fill"],["no verdict","--stage-other"]];function za(e){let{colouring:t,phones:n,
events:o}=e,a=I(()=>Ec(t,n),[t,n]),i=new Set(o.map(s=>s.kind));return r("ul",{class:"timeline-legend","aria-label":"Colours of the timeline",children:[a.map(([s,
l])=>r("li",{children:[r("i",{style:{background:`var(${l})`}}),s]},s)),i.has("fault")&&r(Ja,{name:"fault",fill:"--bad"}),i.has("resumed")&&r(Ja,{name:"resumed",
fill:"--accent"}),i.has("paused")&&r("li",{children:[r("svg",{width:"10",height:"10",viewBox:"0 0 10 10","aria-hidden":"true",style:{fill:"var(--warn)"},children:r(
"path",{d:"M0 0h10v3H6.5v7H4V3H2.5v7H0z"})}),"paused by a person"]}),i.has("taken_over")&&r("li",{children:[r("svg",{width:"10",height:"10",viewBox:"0 0 10 10",
"aria-hidden":"true",style:{fill:"var(--accent)"},children:r("path",{d:"M5 0h5v3H9A4.5 4.5 0 1 1 5 0z"})}),"taken over"]}),i.has("outage")&&r("li",{children:[r(
"i",{class:"timeline-outage"}),"no model"]})]})}function Ja({name:e,fill:t}){return r("li",{children:[r("svg",{width:"10",height:"10",viewBox:"0 0 10 10","aria-\
hidden":"true",children:r("path",{d:"M0.5 1h9L5 9z",style:{fill:`var(${t})`}})}),e]})}function Ec(e,t){if(e==="verdict")return Sc;let n=t.flatMap(a=>a.episodes);
if(e==="ending"){let a=new Set(n.map(i=>i.verdict));return xe.filter(i=>a.has(i)).map(i=>[J[i].title.toLowerCase(),J[i].fill])}return[...new Set(n.flatMap(a=>a.
steps.flatMap(i=>i.stages.map(([s])=>s))))].map(a=>[a,fe(a)])}var Ha=12;function qa(e,t){let[n=0,o=0]=t;return Math.abs(o-n)<Ha?null:[tt(e,n),tt(e,o)]}function Wa(e,[t,n],o){let[a,i]=o;if(a===void 0||i===void 0||Math.abs(i-
a)<Ha||(i-a)*(n-t)<=0)return null;let s=(n-t)/(i-a),l=t-(a-e.left)*s;return{from:l,to:l+(e.width-e.left)*s}}var Va=4;function Ua(e,t){let n=C(t);n.current=t,M(()=>{let o=e.current;if(!o)return;let a=null,i=m=>{let{layout:g,phones:y}=n.current,R=$a(g,y,m.offsetX,m.offsetY);
return R&&{...R,at:{left:m.clientX,width:0,top:m.clientY-12,bottom:m.clientY+12}}},s=new Map,l=null,c=m=>{if(m.button===0){if(m.pointerType==="touch"&&s.set(m.pointerId,
m.offsetX),s.size===2){l=qa(n.current.layout,[...s.values()]),a&&(a.moved=!0);return}a={x:m.clientX,y:m.clientY,...n.current.layout.span,moved:!1},o.setPointerCapture(
m.pointerId)}},p=m=>{let{layout:g,end:y,point:R}=n.current;if(s.has(m.pointerId)&&s.set(m.pointerId,m.offsetX),l){R(null);let O=Wa(g,l,[...s.values()]);O&&ue(O,
y);return}if(!a)return R(i(m));let b=m.clientX-a.x;if((Math.abs(b)>Va||Math.abs(m.clientY-a.y)>Va)&&(a.moved=!0),!a.moved)return;R(null);let $=b/(g.width-g.left)*
(a.to-a.from);ue({from:a.from-$,to:a.to-$},y)},d=m=>{if(s.delete(m.pointerId),l&&s.size)return;l=null;let g=a?.moved;a=null,g&&o.addEventListener("click",y=>y.stopImmediatePropagation(),
{once:!0,capture:!0})},f=m=>{let g=i(m);g&&n.current.open(g)},h=m=>{let{layout:g,end:y}=n.current;m.ctrlKey||m.metaKey?(m.preventDefault(),Xe(g.span,tt(g,m.offsetX),
Math.exp(m.deltaY*.004),y)):(m.shiftKey||Math.abs(m.deltaX)>Math.abs(m.deltaY))&&(m.preventDefault(),Pt(g.span,(m.deltaX||m.deltaY)/(g.width-g.left),y))},u=()=>n.
current.point(null);return o.addEventListener("pointerdown",c),o.addEventListener("pointermove",p),o.addEventListener("pointerup",d),o.addEventListener("pointer\
cancel",d),o.addEventListener("pointerleave",u),o.addEventListener("click",f),o.addEventListener("wheel",h,{passive:!1}),()=>{o.removeEventListener("pointerdown",
c),o.removeEventListener("pointermove",p),o.removeEventListener("pointerup",d),o.removeEventListener("pointercancel",d),o.removeEventListener("pointerleave",u),
o.removeEventListener("click",f),o.removeEventListener("wheel",h)}},[])}var ja=["stage","verdict","ending"];function Ka({report:e,shown:t}){let{phones:n,events:o}=e,a=C(null),i=C(null),[s,l]=v({width:800,height:300}),[c,p]=v(0),[d,f]=v(
null),[h,u]=v(null),m=I(()=>Math.max(1,...n.flatMap(S=>S.episodes.map(V=>V.end))),[n]),g=I(()=>new Map(e.tasks.map(S=>[S.row.id,S.goal])),[e.tasks]),y=I(()=>new Set(
t.map(S=>S.row.id)),[t]),R=ja.find(S=>S===F("colour"))??"stage",b=ka(m),$={...s,scrolled:c,span:b,left:s.width<600?72:150},O=I(()=>Ca(Oa),[Ut.value]);U(()=>{let S=i.
current;if(!S)return;let V=new ResizeObserver(()=>l({width:S.clientWidth,height:S.clientHeight}));return V.observe(S),()=>V.disconnect()},[]),M(()=>{let S=a.current,
V=S?.getContext("2d");if(!S||!V)return;let ne=devicePixelRatio||1;S.width=Math.round(s.width*ne),S.height=Math.round(s.height*ne),V.setTransform(ne,0,0,ne,0,0);
let oe=getComputedStyle(S).fontFamily;Na(V,{layout:$,phones:n,events:o,colouring:R,colours:O,font:oe,tasks:y,marked:d??h})});let T=S=>In(["episodes",S.episode.episode],
S.step?{step:S.step.step}:{});Ua(a,{layout:$,phones:n,end:m,point:f,open:T});let B=S=>{let V=Da(n,h,S,b.from);if(!V)return;u(V),i.current?.focus({preventScroll:!0});
let ne=n.indexOf(V.track);if(i.current){let Y=ne*24,fr=s.height-26-24;Y<i.current.scrollTop&&(i.current.scrollTop=Y),Y>i.current.scrollTop+fr&&(i.current.scrollTop=
Y-fr)}let oe=V.step?.start??V.episode.start,se=b.to-b.from;(oe<b.from||oe>b.to)&&ue({from:oe-se/2,to:oe+se/2},m)},K=h?.step?.start??(b.from+b.to)/2;return ae("T\
imeline",[{key:"+",does:"zoom in",run:()=>Xe(b,K,.6,m)},{key:"-",does:"zoom out",run:()=>Xe(b,K,1/.6,m)},{key:"0",does:"the whole run",run:()=>ue({from:0,to:m},
m)},{key:"ArrowRight",does:"next step",run:()=>B("next")},{key:"ArrowLeft",does:"step before",run:()=>B("before")},{key:"ArrowDown",does:"phone below",run:()=>B(
"below")},{key:"ArrowUp",does:"phone above",run:()=>B("above")},{key:"Shift+ArrowRight",does:"later",run:()=>Pt(b,.25,m)},{key:"Shift+ArrowLeft",does:"earlier",
run:()=>Pt(b,-.25,m)},{key:"Enter",does:"open the step",run:()=>h&&T(h)},{key:"Escape",does:"mark no step",run:()=>u(null)}]),r("section",{class:"timeline panel",
"aria-label":"Timeline of all phones",children:[r("header",{class:"timeline-tools",children:[r("div",{class:"verdicts",role:"group","aria-label":"Colours",children:ja.
map(S=>r("button",{type:"button",class:"verdict","aria-pressed":S===R,onClick:()=>A({colour:S==="stage"?"":S}),children:S==="stage"?"Stages":S==="verdict"?"Verd\
icts":"Endings"},S))}),r(za,{colouring:R,phones:n,events:o}),r("div",{class:"timeline-zoom",children:[r(_,{icon:"minus",label:"Zoom out",kind:"quiet",onClick:()=>Xe(
b,K,1/.6,m)}),r(_,{icon:"plus",label:"Zoom in",kind:"quiet",onClick:()=>Xe(b,K,.6,m)}),r(_,{kind:"quiet",disabled:b.from<=0&&b.to>=m,onClick:()=>ue({from:0,to:m},
m),children:"Whole run"})]})]}),r("div",{class:"timeline-frame",ref:i,tabIndex:0,role:"group",style:{height:`${26+n.length*24+8}px`},"aria-label":`${X(n.length,
"phone")} over ${E(m)}. Arrow keys go from step to step, Enter opens one.`,onBlur:()=>u(null),onScroll:S=>p(S.currentTarget.scrollTop),children:[r("canvas",{ref:a,
class:"timeline-canvas","aria-hidden":"true",style:{width:`${s.width}px`,height:`${s.height}px`}}),r("div",{style:{height:`${Math.max(0,26+n.length*24+8-s.height)}\
px`}})]}),r("p",{class:"unseen",role:"status",children:h&&`${h.track.phone}, task ${h.episode.task}, ${h.step?`step ${h.step.step}, verdict ${h.step.outcome??"n\
one"}`:ce(h.episode.ending)}`}),d&&r(ar,{pointed:d,startedAt:e.started_at,goal:g.get(d.episode.task)??""}),!d&&h&&r(ar,{pointed:{...h,at:Tc(h,n.indexOf(h.track),
$,i.current)},startedAt:e.started_at,goal:g.get(h.episode.task)??""})]})}function Tc(e,t,n,o){let a=o?.getBoundingClientRect(),[i,s]=De(n,t);return{left:(a?.left??
0)+W(n,e.step?.start??e.episode.start),width:0,top:(a?.top??0)+i,bottom:(a?.top??0)+i+s}}var Ga=4;function Ya({causes:e}){let[t,n]=v(!1),o=de("cause");if(!e.length)return null;let a=Math.max(...e.map(s=>s.tasks.length)),i=t?e:e.slice(0,Ga);return r(
"section",{class:"causes panel","aria-labelledby":"causes-title",children:[r("header",{class:"panel-head",children:[r("h2",{id:"causes-title",children:"Why task\
s failed"}),r("span",{class:"faint",children:X(e.length,"cause")})]}),r("ul",{children:i.map(s=>{let l=o.includes(s.id);return r("li",{children:r("button",{type:"\
button",class:"cause","aria-pressed":l,onClick:()=>pe("cause",l?[]:[s.id]),children:[r("span",{class:"cause-count num",children:k(s.tasks.length)}),r("span",{class:"\
cause-words",children:[r("span",{class:"cause-reason said",children:s.reason||ce(s.ending)}),r("span",{class:"cause-about",children:[r(P,{tone:"bad",children:s.
ending==="finished"?"check not met":ce(s.ending)}),s.tasks.length===1&&r("span",{class:"clip mono said",children:s.tasks[0]}),s.app&&r("span",{class:"clip quiet",
children:s.app})]})]}),r("span",{class:"cause-bar","aria-hidden":"true",children:r("span",{style:{width:`${s.tasks.length/a*100}%`}})}),r("span",{class:"cause-d\
o",children:l?"Show all":"Show"})]})},s.id)})}),e.length>Ga&&r(_,{kind:"quiet",class:"causes-more",icon:t?"up":"down",onClick:()=>n(!t),children:t?"Fewer":`All ${k(
e.length)} causes`})]})}function nt(e){let{rows:t,columns:n,height:o=36,order:a="sort"}=e,i=C(null),s=F(a),l=I(()=>Cc(t,n,s),[t,n,s]),{first:c,end:p}=fn(i,l.length,o);return r("table",
{class:"table","aria-rowcount":l.length+1,children:[r("caption",{class:"unseen",children:e.caption}),r("thead",{children:r("tr",{"aria-rowindex":1,children:n.map(
d=>r(Rc,{column:d,said:s,order:a},d.id))})}),r("tbody",{ref:i,children:[c>0&&r(Za,{height:c*o}),l.slice(c,p).map((d,f)=>r("tr",{"aria-rowindex":c+f+2,class:e.classOf?.(
d),style:{height:`${o}px`},children:n.map(h=>r("td",{class:Qa(h),children:h.cell(d)},h.id))},e.keyOf(d))),p<l.length&&r(Za,{height:(l.length-p)*o})]})]})}function Za({
height:e}){return r("tr",{class:"table-spacer","aria-hidden":"true",children:r("td",{style:{height:`${e}px`}})})}function Qa(e){return`${e.num?"num":""}${e.from?
` from-${e.from}`:""}`.trim()}function Rc(e){let{column:t,said:n,order:o}=e,a=n===t.id?"ascending":n===`-${t.id}`?"descending":void 0,i=t.num?[`-${t.id}`,t.id,""]:
[t.id,`-${t.id}`,""],s=i[(i.indexOf(a?n:"")+1)%3]??"";return r("th",{scope:"col",class:Qa(t),"aria-sort":t.sort?a??"none":void 0,style:{width:t.width},children:t.
sort?r("button",{type:"button",class:"table-sort",onClick:()=>A({[o]:s}),children:[r("span",{children:t.title}),r(w,{name:a==="ascending"?"up":a==="descending"?
"down":"sort",size:12})]}):t.title})}function Cc(e,t,n){let o=n.replace(/^-/,""),a=t.find(l=>l.id===o)?.sort;if(!a)return e;let i=n.startsWith("-")?-1:1,s=e.map(
l=>[a(l),l]);return s.sort(([l],[c])=>l==null||c==null?l==null?c==null?0:1:-1:typeof l=="number"&&typeof c=="number"?i*(l-c):i*String(l).localeCompare(String(c),
void 0,{numeric:!0})),s.map(([,l])=>l)}function ti({summary:e}){let t=Object.entries(e.model),n=Object.entries(e.servers??{}),o=Object.entries(e.stage_ms).flatMap(([a,i])=>i?[[a,i,e.queue_ms[a]]]:[]);
return!t.length&&!o.length?r(N,{icon:"coins",title:"No model was asked",children:"The figures appear here once an episode of the run has called a model."}):r("d\
iv",{class:"cost",children:[r(ei,{title:"By role",first:"Role",rows:t,order:"roles",asked:a=>e.models?.[a]?.model}),n.length>0&&r(ei,{title:"By server",first:"S\
erver",rows:n,order:"servers"}),r(Mc,{rows:o})]})}function ei(e){let t=Math.max(1,...e.rows.map(([,o])=>o.input_tokens+o.output_tokens)),n=[{id:"name",title:e.first,
sort:([o])=>o,cell:([o])=>r(x,{children:[r("div",{class:"clip cost-name",children:o}),e.asked?.(o)&&r("div",{class:"clip faint cost-model",children:e.asked(o)})]})},
{id:"calls",title:"Calls",num:!0,width:"5.375rem",sort:([,o])=>o.calls,cell:([,o])=>k(o.calls)},{id:"input",title:"Tokens in",num:!0,width:"6.5rem",sort:([,o])=>o.
input_tokens,cell:([,o])=>ee(o.input_tokens)},{id:"output",title:"Tokens out",num:!0,width:"6.75rem",from:"s",sort:([,o])=>o.output_tokens,cell:([,o])=>ee(o.output_tokens)},
{id:"share",title:"Share",width:"18%",from:"l",cell:([,o])=>r("span",{class:"cost-bar","aria-hidden":"true",children:[r("span",{style:{width:`${o.input_tokens/t*
100}%`,background:"var(--stage-plan)"}}),r("span",{style:{width:`${o.output_tokens/t*100}%`,background:"var(--stage-act)"}})]})},{id:"cached",title:"Cached",num:!0,
width:"5.625rem",from:"m",sort:([,o])=>o.cached_share,cell:([,o])=>ye(o.cached_share)},{id:"p50",title:"p50",num:!0,width:"5.375rem",from:"s",sort:([,o])=>o.latency_ms?.
p50,cell:([,o])=>Lt(o.latency_ms?.p50)},{id:"p95",title:"p95",num:!0,width:"5.375rem",from:"m",sort:([,o])=>o.latency_ms?.p95,cell:([,o])=>Lt(o.latency_ms?.p95)},
{id:"again",title:"Repairs",num:!0,width:"5.625rem",from:"m",sort:([,o])=>o.repairs,cell:([,o])=>k(o.repairs)},{id:"errors",title:"Errors",num:!0,width:"5.375re\
m",from:"m",sort:([,o])=>o.errors,cell:([,o])=>r("span",{class:o.errors?"cost-bad":"",children:k(o.errors)})}];return r("section",{class:"panel",children:[r("he\
ader",{class:"panel-head",children:[r("h2",{children:e.title}),r("span",{class:"faint from-s",children:"tokens as sums; p50 and p95 of the time that a call took"})]}),
r(nt,{caption:`Model calls, ${e.title.toLowerCase()}`,rows:e.rows,columns:n,keyOf:([o])=>o,height:e.asked?48:40,order:e.order})]})}function Mc({rows:e}){if(!e.length)
return null;let t=Math.max(...e.map(([,n])=>n.p95),1);return r("section",{class:"panel",children:[r("header",{class:"panel-head",children:[r("h2",{children:"Sta\
ges of a step"}),r("span",{class:"faint",children:"work, p50 and p95; time in queues apart"})]}),r("ul",{class:"cost-stages",children:e.map(([n,o,a])=>r("li",{children:[
r("span",{class:"clip",children:n}),r("span",{class:"cost-stage","aria-hidden":"true",children:[r("span",{style:{width:`${o.p95/t*100}%`,background:`var(${fe(n)}\
)`,opacity:"0.35"}}),r("span",{style:{width:`${o.p50/t*100}%`,background:`var(${fe(n)})`}})]}),r("span",{class:"num",children:[r("span",{class:"unseen",children:"\
p50 "}),Lt(o.p50)]}),r("span",{class:"num quiet",children:[r("span",{class:"unseen",children:"p95 "}),Lt(o.p95)]}),r("span",{class:"num faint",children:a?`queue\
 ${Lt(a.p50)}`:""})]},n))})]})}function Lt(e){return E(e==null?e:e/1e3)}function Pc(e){let t={calls:0,input:0,output:0,cached:0};for(let n of Object.values(e))t.calls+=n.calls,t.input+=n.input_tokens,t.output+=n.output_tokens,t.cached+=
n.cached_tokens;return t}function ni({report:e}){let{summary:t,tasks:n}=e,o=new Map;for(let l of n)o.set(l.verdict,(o.get(l.verdict)??0)+1);let a=o.get("done")??
0,i=t.verified+t.judged_done,s=Pc(t.model);return r("section",{class:"figures","aria-label":"Figures of the run",children:[r(Lc,{counts:o,total:n.length}),r("dl",
{class:"figures-line",children:[r(Ee,{name:"Done",more:n.length?ye(a/n.length):void 0,children:[k(a)," ",r("small",{children:["of ",k(n.length)]})]}),r(Ee,{name:"\
Failed",more:t.false_completes?`${k(t.false_completes)} said done`:void 0,children:k(o.get("failed")??0)}),r(Ee,{name:"Checks held",more:t.judged_done?`${k(t.judged_done)}\
 by a judge`:void 0,children:k(i)}),r(Ee,{name:"Steps",more:t.step_ms?`${E(t.step_ms.p50/1e3)} each, p50`:void 0,children:k(t.steps)}),r(Ee,{name:"Tasks an hour",
more:`on ${k(t.phones)} ${t.phones===1?"phone":"phones"}`,children:t.episodes_per_hour?k(t.episodes_per_hour):ie}),r(Ee,{name:"Time",more:t.away_s?`${E(t.away_s)}\
 without a model`:void 0,children:E(t.wall_s)}),r(Ee,{name:"Model calls",more:s.input?`${ye(s.cached/s.input)} cached`:void 0,children:k(s.calls)}),r(Ee,{name:"\
Tokens in",more:`${ee(s.output)} out`,children:ee(s.input)})]})]})}function Ee(e){return r("div",{class:"figure",children:[r("dt",{children:e.name}),r("dd",{children:[
r("b",{children:e.children}),e.more&&r("span",{children:e.more})]})]})}function Lc({counts:e,total:t}){let n=xe.filter(a=>e.get(a)).reverse(),o=n.map(a=>`${e.get(
a)} ${a}`).join(", ");return r("div",{class:"figures-bar",role:"img","aria-label":o||"no tasks",children:n.map(a=>r("span",{style:{flexGrow:String((e.get(a)??0)/
t),background:`var(${J[a].fill})`}},a))})}var ze=52,ri=20;function oi(e){let{series:t,height:n=140,formatValue:o,formatAt:a}=e,i=C(null),[s,l]=v(400),[c,p]=v(null);U(()=>{let T=new ResizeObserver(([B])=>B&&
l(Math.max(160,B.contentRect.width)));return i.current&&T.observe(i.current),()=>T.disconnect()},[]);let d=[...new Set(t.flatMap(T=>T.points.map(([B])=>B)))].sort(
(T,B)=>T-B),f=d[0]??0,h=d.at(-1)??1,u=Pa(Math.max(0,...t.flatMap(T=>T.points.map(([,B])=>B??0)))),m=u.at(-1)||1,g=T=>ze+(T-f)/(h-f||1)*(s-ze-4),y=T=>6+(1-T/m)*(n-
ri-10),R=T=>{let B=f+(T-ze)/(s-ze-4)*(h-f),K=0;d.forEach((S,V)=>{Math.abs(S-B)<Math.abs((d[K]??0)-B)&&(K=V)}),p(d.length?K:null)},b=T=>{let B=T.key==="ArrowRigh\
t"?1:T.key==="ArrowLeft"?-1:0;!B||!d.length||(T.preventDefault(),T.stopPropagation(),p(Math.min(d.length-1,Math.max(0,(c??d.length)+B))))},$=c===null?void 0:d[c],
O=$??d.at(-1);return r("figure",{class:"plot",ref:i,children:[r("figcaption",{class:"plot-legend",children:[t.map(T=>{let B=T.points.find(([K])=>K===O)?.[1];return r(
"span",{children:[r("i",{style:{background:`var(${T.colour})`}}),T.name," ",r("b",{children:B==null?ie:o(B)})]},T.name)}),$!==void 0&&r("span",{class:"faint plo\
t-at",children:a($)})]}),r("svg",{width:s,height:n,role:"img","aria-label":e.label,tabIndex:0,onPointerMove:T=>R(T.offsetX),onPointerLeave:()=>p(null),onKeyDown:b,
onBlur:()=>p(null),children:[u.map(T=>r("g",{children:[r("line",{class:"plot-grid",x1:ze,x2:s-4,y1:y(T),y2:y(T)}),r("text",{class:"plot-tick",x:ze-8,y:y(T)+4,"t\
ext-anchor":"end",children:o(T)})]},T)),d.length>1&&r(x,{children:[r("text",{class:"plot-tick",x:ze,y:n-4,children:a(f)}),r("text",{class:"plot-tick",x:s-4,y:n-
4,"text-anchor":"end",children:a(h)})]}),t.map(T=>r("path",{class:"plot-line",style:{stroke:`var(${T.colour})`},d:Ma(T.points.map(([B,K])=>K===null?null:[g(B),y(
K)]))},T.name)),$!==void 0&&r("line",{class:"plot-cursor",x1:g($),x2:g($),y1:4,y2:n-ri})]})]})}var $c={given:"quiet",added:"good",changed:"accent",removed:"bad"},ai=["--accent","--good","--warn","--bad","--stage-plan","--stage-note"];function si({report:e}){
let{lessons:t,summary:n}=e,o=n.learning;return t.length?r("div",{class:"lessons",children:[o&&r("p",{class:"quiet",children:[X(o.lessons,"lesson"),"; tips: ",ii(
o.tips),"; shortcuts: ",ii(o.shortcuts),"."]}),e.plots.length>0&&r("div",{class:"lesson-plots",children:e.plots.map(a=>r(Ac,{plot:a},a.title))}),t.map(a=>r("sec\
tion",{class:"panel",children:[r("header",{class:"panel-head",children:[r("h2",{class:"clip",children:r("a",{href:G(["episodes",a.episode]),children:a.task})}),
r("span",{class:"faint mono clip",children:a.episode})]}),r("ul",{children:a.changes.map(i=>r("li",{class:"lesson",children:[r(P,{tone:$c[i.way],children:[i.way,
" ",i.kind]}),r("span",{class:"said",children:[i.before&&r("del",{class:"lesson-before",children:i.before}),i.text]}),r("span",{class:"faint mono clip",children:i.
id})]},`${i.way} ${i.id}`))})]},a.episode))]}):r(N,{icon:"book",title:"Nothing was learned",children:o?`The learners were asked ${X(o.lessons+o.failed,"time")},\
 and added no tip and no shortcut.`:"Tips and shortcuts appear here if the run's profile learns: see --profile."})}function Ac({plot:e}){return r("section",{class:"\
panel lesson-plot",children:[r("h2",{children:e.title}),r(oi,{label:`${e.title} by the place of tasks in their scenarios`,series:e.lines.map((t,n)=>({name:t.name,
colour:ai[n%ai.length]??"--accent",points:t.points})),formatValue:t=>k(Math.round(t*10)/10),formatAt:t=>`task ${t}`})]})}function ii(e){let{added:t,changed:n,removed:o}=e;
return`${k(t)} added, ${k(n)} changed, ${k(o)} removed`}function li({report:e}){let{summary:t}=e,n=[["Run",e.run],["Profile",t.profile],["Schedule",t.schedule],["Models",t.model_source],["Phones",t.phones_source],["P\
erception",t.perception_source]],o=Object.entries(t.models??{}).map(([i,s])=>[i,`${s.model} at ${s.servers.join(", ")}; ${s.dialect}, ${s.output}, temperature ${s.
temperature}, at most ${s.max_tokens} tokens`]),a=ir(t.settings);return r("div",{class:"facts",children:[r($t,{title:"About",facts:n.filter(([,i])=>i)}),r($t,{title:"\
Models by role",facts:o}),r($t,{title:"Versions",facts:Object.entries(t.versions??{})}),r($t,{title:"Phones left out",facts:Object.entries(t.phones_left_out??{})}),
r($t,{title:"Settings",facts:a,isMono:!0})]})}function $t({title:e,facts:t,isMono:n}){return t.length?r("section",{class:"panel",children:[r("header",{class:"pa\
nel-head",children:[r("h2",{children:e}),r(Oe,{label:`Copy: ${e}`,text:()=>t.map(([o,a])=>`${o}: ${a}`).join(`
`)})]}),r("dl",{class:`facts-list${n?" mono":""}`,children:t.map(([o,a])=>r("div",{children:[r("dt",{class:"said",children:Fc(o)}),r("dd",{class:"said",children:a})]},
o))})]}):null}function Fc(e){return e.split(/(?<=\.)/).flatMap((t,n)=>n?[r("wbr",{},n),t]:[t])}function ir(e,t=""){return e===null||typeof e!="object"?[[t,String(
e)]]:Array.isArray(e)?e.every(n=>n===null||typeof n!="object")?[[t,e.join(", ")||"none"]]:e.flatMap((n,o)=>ir(n,`${t}[${o}]`)):Object.entries(e).flatMap(([n,o])=>ir(
o,t?`${t}.${n}`:n))}function ci(e){let{name:t,title:n,options:o}=e,a=de(t),i=C(null),s=C(null),l=ct();if(o.length<2&&a.length===0)return null;let c=a.length===1?o.find(d=>d.value===
a[0])?.title??a[0]:k(a.length),p=d=>pe(t,a.includes(d)?a.filter(f=>f!==d):[...a,d]);return r(x,{children:[r("button",{ref:i,type:"button",class:`button filter-b\
utton${a.length?" filter-chosen":""}`,popovertarget:l,children:[n,a.length>0&&r("span",{class:"filter-value clip",children:c}),r(w,{name:"down",size:12})]}),r("\
div",{ref:s,id:l,class:"filter-list",popover:"auto",role:"group","aria-label":n,onToggle:()=>{!s.current?.matches(":popover-open")||!i.current||(hn(s.current,i.
current.getBoundingClientRect()),s.current.querySelector("input")?.focus())},children:[o.map(d=>r("label",{class:"filter-option",children:[r("input",{type:"chec\
kbox",checked:a.includes(d.value),onChange:()=>p(d.value)}),r("span",{class:"clip",children:d.title??d.value}),r("span",{class:"num faint",children:k(d.count)})]},
d.value)),a.length>0&&r("button",{type:"button",class:"button button-quiet filter-clear",onClick:()=>pe(t,[]),children:"Clear"})]})]})}function yn({name:e,label:t,placeholder:n}){let o=C(null);return ae("Search",[{key:"/",does:"search",run:()=>o.current?.focus()}]),r("label",{class:"search",children:[
r("span",{class:"unseen",children:t}),r(w,{name:"search"}),r("input",{ref:o,type:"search",class:"text-field",value:F(e),placeholder:n??t,spellcheck:!1,autocomplete:"\
off",onInput:a=>A({[e]:a.currentTarget.value}),onKeyDown:a=>a.key==="Escape"&&(A({[e]:""}),a.currentTarget.blur())})]})}var lr=["verdict","ending","app","phone","tag","cause","q"],sr={verdict:e=>[e.verdict],ending:e=>[e.row.finished],app:e=>e.apps,phone:e=>di(e),tag:e=>e.tags,cause:e=>e.
cause?[e.cause]:[]};function di(e){let t=new Set(e.episodes.map(n=>n.phone).filter(Boolean));return e.row.phone&&t.add(e.row.phone),[...t]}function pi(e){return[
...e].sort((t,n)=>xe.indexOf(t.verdict)-xe.indexOf(n.verdict)||n.duration_s-t.duration_s)}function At(e,t){let n=Object.keys(sr).filter(a=>a!==t).map(a=>[sr[a],
new Set(de(a))]).filter(([,a])=>a.size>0),o=F("q").toLowerCase().split(/\s+/).filter(Boolean);return e.filter(a=>n.every(([i,s])=>i(a).some(l=>s.has(l)))&&Oc(a,
o))}function Oc(e,t){if(!t.length)return!0;let n=[e.row.id,e.goal,e.row.reason,e.row.answer??"",...di(e),...e.apps,...e.tags,...e.episodes.map(o=>o.id),...e.row.
unmet.map(o=>`${o.expected} ${o.found}`)].join(`
`).toLowerCase();return t.every(o=>n.includes(o))}function ui(e,t){let n=new Map;for(let a of e)for(let i of sr[t](a))n.set(i,(n.get(i)??0)+1);let o=t==="ending"?
ce:a=>a;return[...n].sort(([a,i],[s,l])=>l-i||a.localeCompare(s,void 0,{numeric:!0})).map(([a,i])=>({value:a,title:o(a),count:i}))}function mi(e){let{row:t}=e;if(e.
verdict==="done")return t.answer??"";let[n]=t.unmet,o=n?`expected ${n.expected}, found ${n.found}`:"";return t.finished==="finished"?o?`Said it was done, but ${o}`:
t.reason||"The check does not hold":[t.reason||ce(t.finished),o].filter(Boolean).join("; ")}function fi(e){let t=e.episodes.at(-1);return t?{path:["episodes",t.
id],choices:t.failure_step==null?{}:{step:t.failure_step}}:null}function cr(){A(Object.fromEntries(lr.map(e=>[e,""])))}function dr(){return lr.some(e=>F(e)!=="")}function pr({tasks:e}){let t=[["ending","Ending"],["app","App"],
["phone","Phone"],["tag","Tag"]];return r("div",{class:"filters",children:[r(Nc,{tasks:At(e,"verdict")}),r(yn,{name:"q",label:"Search tasks",placeholder:"Goal, \
reason, phone, id"}),t.map(([n,o])=>r(ci,{name:n,title:o,options:ui(At(e,n),n)},n)),dr()&&r(_,{kind:"quiet",icon:"cross",onClick:cr,children:"Clear"})]})}function Nc({
tasks:e}){let t=de("verdict"),n=new Map;for(let a of e)n.set(a.verdict,(n.get(a.verdict)??0)+1);let o=xe.filter(a=>n.has(a)||t.includes(a));return r("div",{class:"\
verdicts",role:"group","aria-label":"Verdict",children:[r("button",{type:"button",class:"verdict","aria-pressed":t.length===0,onClick:()=>pe("verdict",[]),children:[
"All ",r("span",{class:"num",children:k(e.length)})]}),o.map(a=>r("button",{type:"button",class:"verdict","aria-pressed":t.includes(a),onClick:()=>pe("verdict",
t.length===1&&t[0]===a?[]:[a]),children:[r("i",{style:{background:`var(${J[a].fill})`}}),J[a].title," ",r("span",{class:"num",children:k(n.get(a)??0)})]},a))]})}var Bc=68;function hi({tasks:e}){let t=Math.max(1,...e.map(o=>o.duration_s));return r(nt,{caption:"Tasks of the run",rows:e,columns:[{id:"task",title:"Task",sort:o=>o.
row.id,cell:o=>r(Ic,{task:o})},{id:"ending",title:"Ending",width:"9.375rem",from:"m",sort:o=>o.row.finished,cell:o=>r(Xc,{task:o})},{id:"phone",title:"Phone",width:"\
9.375rem",from:"l",sort:o=>o.row.phone,cell:o=>r("div",{class:"clip mono quiet",children:o.row.phone??"no phone"})},{id:"steps",title:"Steps",width:"5.25rem",from:"\
s",num:!0,sort:o=>o.row.steps,cell:o=>k(o.row.steps)},{id:"attempts",title:"Attempts",width:"6rem",from:"l",num:!0,sort:o=>o.row.attempts,cell:o=>r("span",{class:o.
row.attempts>1?"":"faint",children:k(o.row.attempts)})},{id:"time",title:"Time",width:"7rem",num:!0,from:"s",sort:o=>o.duration_s,cell:o=>r(x,{children:[E(o.duration_s),
r("span",{class:"task-time","aria-hidden":"true",children:r("span",{style:{width:`${o.duration_s/t*100}%`}})})]})}],keyOf:o=>o.row.id,height:Bc})}function Ic({task:e}){
let t=fi(e),n=J[e.verdict],o=mi(e);return r("div",{class:"task-cell",children:[r(gn,{screen:e.episodes.at(-1)?.last_screen,class:"task-picture"}),r("span",{class:`\
task-sign badge-${n.tone}`,title:n.title,children:r(w,{name:n.icon,size:12,label:n.title})}),r("div",{class:"task-words",children:[r("div",{class:"clip task-goa\
l",children:t?r("a",{class:"row-link",href:G(t.path,t.choices),children:e.goal||e.row.id}):e.goal||e.row.id}),o&&r("div",{class:`clip task-story${e.verdict==="f\
ailed"?" task-why":""}`,children:o}),r("div",{class:"clip task-about",children:[r("span",{class:"mono",children:e.row.id}),e.apps.length>0&&r("span",{children:[
" \xB7 ",e.apps.join(", ")]}),e.tags.map(a=>r("span",{children:[" \xB7 #",a]},a)),r("span",{class:"task-small",children:[" \xB7 ",E(e.duration_s)]})]})]})]})}function Xc({
task:e}){let t=e.row.finished==="finished"&&e.verdict==="failed";return r(P,{tone:J[e.verdict].tone,children:t?"check not met":ce(e.row.finished)})}var gi="run-panel";function vi({report:e}){let t=I(()=>pi(e.tasks),[e.tasks]),n=ge.value,o=I(()=>At(t),[t,n]),a=e.lessons.reduce((l,c)=>l+c.changes.length,0),i=[
{id:"tasks",title:"Tasks",count:e.tasks.length},{id:"timeline",title:"Timeline"},{id:"cost",title:"Cost"},{id:"lessons",title:"Learned",count:a},{id:"about",title:"\
About"}],s=i.find(l=>l.id===F("tab"))?.id??"tasks";return ae("Run",[{key:"j",does:"next task",run:()=>yi(1)},{key:"k",does:"task before",run:()=>yi(-1)},...i.map(
(l,c)=>({key:String(c+1),does:`show ${l.title.toLowerCase()}`,run:()=>A({tab:c?l.id:""})}))]),r("main",{class:"run",children:[r("header",{class:"run-head",children:[
r("h1",{class:"said",children:e.run}),r("p",{class:"run-about",children:[zc(e).map(l=>r("span",{children:l},l)),Hc(e).map(l=>r(P,{tone:"warn",title:l,children:l.
split(/[,;]/)[0]},l))]}),r(ni,{report:e})]}),r(on,{tabs:i,current:s,onChange:l=>A({tab:l==="tasks"?"":l}),label:"Parts of the report",panel:gi}),r("div",{class:"\
run-panel",id:gi,role:"tabpanel","aria-label":i.find(l=>l.id===s)?.title??"",children:[s==="tasks"&&r(Dc,{report:e,ordered:t,shown:o}),s==="timeline"&&r(x,{children:[
r(pr,{tasks:t}),e.phones.length?r(Ka,{report:e,shown:o}):r(Jc,{}),r(Ra,{report:e})]}),s==="cost"&&r(ti,{summary:e.summary}),s==="lessons"&&r(si,{report:e}),s===
"about"&&r(li,{report:e})]})]})}function Dc(e){let{report:t,ordered:n,shown:o}=e;return n.length?r(x,{children:[r(Ya,{causes:t.causes}),r(pr,{tasks:n}),r("secti\
on",{class:"panel run-tasks","aria-label":"Tasks",children:o.length?r(hi,{tasks:o}):r(N,{icon:"filter",title:"No task fits these filters",action:r(_,{onClick:cr,
children:"Clear the filters"}),children:["The run has ",X(n.length,"task"),"."]})}),dr()&&r("p",{class:"unseen",role:"status",children:[X(o.length,"task")," sho\
wn"]})]}):r(N,{icon:"list",title:"The run has no tasks",children:"A run gets tasks by --goal, by a file of tasks or by a suite. Make the report again once it ha\
s some."})}function Jc(){return r(N,{icon:"clock",title:"No phone has run a task yet",children:"The timeline appears here once an episode has begun."})}function zc({
summary:e,started_at:t}){return[t?`${Ze(t)} ${rn(t)}`:"",E(e.wall_s),X(e.phones,"phone"),`profile ${e.profile}`,`schedule ${e.schedule}`].filter(Boolean)}function Hc({
summary:e}){return[e.model_source,e.phones_source,e.perception_source].filter(t=>t!=="")}function yi(e){let t=[...document.querySelectorAll(".table .row-link")],
n=t.indexOf(document.activeElement),o=t.findIndex(i=>i.getBoundingClientRect().top>0),a=t[n<0?Math.max(0,o):n+e];a?.focus({preventScroll:!0}),a?.scrollIntoView(
{block:"nearest"})}var bi=G([]);function xi(){let{path:e,choices:t}=ge.value,n=be("run"),o=n.state==="ready"?n.part.run:"Run",a=e[0]==="episodes"?e[1]:void 0;return M(()=>{a||(bi=
G(e,t)),document.title=a?`${a} \xB7 ${o}`:`${o} \xB7 Manyhands`},[a,o,t]),a?r(x,{children:[r(Mt,{crumbs:[{title:o,href:bi},{title:a}]}),r(mn,{id:a,place:{parts:"",
pictures:n.state==="ready"&&n.part.is_trimmed?null:""}},a)]}):r(x,{children:[r(Mt,{crumbs:[{title:o}]}),r(Ct,{loading:n,children:i=>r(vi,{report:i})})]})}function Ct({
loading:e,children:t}){if(e.state==="ready")return t(e.part);if(e.state==="loading"&&jt(Ie))return r("main",{children:[r("h1",{class:"unseen",children:"The repo\
rt"}),r(N,{icon:"warning",title:"The report's files cannot be reached",children:r("p",{children:"The page tries again by itself, and goes on as soon as they can\
 be read."})})]});if(e.state==="loading")return r("p",{class:"unseen",role:"status",children:"Loading"});let n=e.error instanceof et;return r("main",{children:[
r("h1",{class:"unseen",children:"The report"}),r(N,{icon:"warning",title:n?"This part of the report is missing":"This part of the report cannot be read",action:r(
_,{onClick:()=>location.reload(),children:"Try again"}),children:[r("p",{class:"said",children:e.error.message}),r("p",{children:"Keep the folder of the report \
beside this page, or make the report again: manyhands report RUN"})]})]})}var wi={newly_failing:{title:"Newly failing",tone:"bad"},newly_passing:{title:"Newly passing",tone:"good"},newly_flaky:{title:"Newly flaky",tone:"warn"},otherwise_failing:{
title:"Failing otherwise",tone:"warn"},slower:{title:"Slower",tone:"warn"},other_screens:{title:"Other screens",tone:"accent"},added:{title:"Added",tone:"quiet"},
removed:{title:"Removed",tone:"quiet"},same:{title:"Same",tone:"quiet"}},ur=Object.keys(wi);function He(e){return wi[e]??{title:e.replaceAll("_"," "),tone:"quie\
t"}}function ki({report:e}){let t=new Set(de("change")),n=F("q").toLowerCase().split(/\s+/).filter(Boolean),o=e.tasks.filter(i=>{let s=[i.task,i.goal,i.why,i.before?.
reason,i.after?.reason].join(`
`).toLowerCase();return(!t.size||t.has(i.change))&&n.every(l=>s.includes(l))}),a=e.tasks.filter(i=>i.change!=="same").length;return r("main",{class:"run",children:[
r("header",{class:"run-head",children:[r("h1",{class:"difference-title",children:[r("span",{class:"said",children:e.before}),r(w,{name:"right",label:"and then"}),
r("span",{class:"said",children:e.after})]}),r("p",{class:"run-about",children:[r("span",{children:X(e.tasks.length,"task")}),r("span",{children:a?`${k(a)} chan\
ged`:"none changed"}),r("span",{children:["compared ",Ze(e.made_at)]})]})]}),r("div",{class:"filters",children:[r(Wc,{report:e}),r(yn,{name:"q",label:"Search ta\
sks",placeholder:"Goal, reason, id"})]}),r("section",{class:"panel run-tasks","aria-label":"Tasks",children:o.length?r(nt,{caption:"Tasks of both runs",rows:o,columns:qc,
keyOf:i=>i.task,height:68}):r(N,{icon:"filter",title:e.tasks.length?"No task fits these filters":"Neither run has a task",action:e.tasks.length?r(_,{onClick:()=>A(
{change:"",q:""}),children:"Clear the filters"}):void 0})})]})}var qc=[{id:"task",title:"Task",sort:e=>e.task,cell:e=>r("div",{class:"task-words",children:[r("d\
iv",{class:"clip task-goal",children:r("a",{class:"row-link",href:G(["tasks",e.task],{step:rt(e)}),children:e.goal||e.task})}),e.why&&r("div",{class:"clip task-\
story",children:e.why}),r("div",{class:"clip task-about mono",children:e.task})]})},{id:"change",title:"Change",width:"9.5rem",sort:e=>ur.indexOf(e.change),cell:e=>r(
P,{tone:He(e.change).tone,children:He(e.change).title})},{id:"before",title:"Before",width:"13.125rem",from:"m",cell:e=>r(_i,{side:e.before})},{id:"after",title:"\
After",width:"13.125rem",from:"m",cell:e=>r(_i,{side:e.after})},{id:"parts",title:"Differs from",width:"6.875rem",from:"l",num:!0,sort:e=>rt(e),cell:e=>rt(e)===
null?r("span",{class:"faint",children:ie}):`step ${rt(e)}`}];function rt(e){let t=[e.other_action,e.other_screen].filter(n=>n!=null);return t.length?Math.min(...t):
null}function _i({side:e}){return e?r(x,{children:[r(P,{tone:J[e.verdict].tone,icon:J[e.verdict].icon,children:e.shown.replaceAll("_"," ")}),r("div",{class:"tas\
k-about difference-figures",children:[X(e.steps,"step"),", ",E(e.seconds)]})]}):r("span",{class:"faint",children:"not in this run"})}function Wc({report:e}){let t=de(
"change"),n=new Map;for(let o of e.tasks)n.set(o.change,(n.get(o.change)??0)+1);return r("div",{class:"verdicts",role:"group","aria-label":"Change",children:[r(
"button",{type:"button",class:"verdict","aria-pressed":!t.length,onClick:()=>pe("change",[]),children:["All ",r("span",{class:"num",children:k(e.tasks.length)})]}),
ur.filter(o=>n.has(o)).map(o=>r("button",{type:"button",class:"verdict","aria-pressed":t.includes(o),onClick:()=>pe("change",t.includes(o)?[]:[o]),children:[He(
o).title," ",r("span",{class:"num",children:k(n.get(o)??0)})]},o))]})}function mr(e){let{title:t,run:n,side:o,place:a,episode:i,step:s}=e;return r("section",{class:"panel pair-side","aria-label":t,children:[r("header",{class:"pair\
-head",children:[r("h2",{children:[t," ",r("span",{class:"faint clip",children:n})]}),o&&r("p",{children:[r(P,{tone:J[o.verdict].tone,icon:J[o.verdict].icon,children:o.
shown.replaceAll("_"," ")}),r("span",{class:"faint",children:[X(o.steps,"step"),", ",E(o.seconds)]}),o.episode&&r("a",{href:G([a.parts.slice(0,-1),"episodes",o.
episode],{step:s}),children:"Film"})]})]}),r(Vc,{side:o,place:a,episode:i,number:s})]})}function Vc(e){let{side:t,place:n,episode:o,number:a}=e;if(!t)return r("\
p",{class:"pair-none",children:"This run does not have the task."});if(!t.episode)return r("p",{class:"pair-none said",children:["The task never began. ",t.reason]});
if(o.state==="loading")return r("p",{class:"pair-none",children:"Loading"});if(o.state==="failed")return r("p",{class:"pair-none said",children:o.error.message});
let i=o.part.steps.find(s=>s.step===a);return i?r(Uc,{report:o.part,place:n,step:i}):r("p",{class:"pair-none said",children:["The episode had ended before this \
step. ",t.reason]})}function Uc({report:e,place:t,step:n}){let o=[n.width??1080,n.height??2400];return r("div",{class:"pair-step",children:[r("div",{class:"pair\
-screen",children:n.screen?r(Be,{source:nr(e,t),screen:n.screen,size:o,label:`Screen before step ${n.step}`,marks:r(St,{step:n,width:o[0]})}):r("p",{class:"pair\
-none",children:"No screen was taken."})}),r("dl",{class:"pair-words",children:[r(Si,{name:"Action",children:[r("b",{class:"said",children:n.action||n.problem||
"none"})," ",r(Qe,{verdict:n.outcome})]}),r(ot,{name:"Typed",text:n.typed_text}),r(ot,{name:"Thought",text:n.thought}),r(ot,{name:"Subgoal",text:n.subgoal}),r(ot,
{name:"Expected",text:n.expectation}),r(ot,{name:"Wrong",text:n.error}),r(ot,{name:"App",text:n.app??""})]})]})}function ot({name:e,text:t}){return t?r(Si,{name:e,
children:r("span",{class:"said",children:t})}):null}function Si({name:e,children:t}){return r("div",{children:[r("dt",{children:e}),r("dd",{children:t})]})}var jc={A:"--good-fill",B:"--bad-fill",C:"--warn-fill"},Kc={A:"as expected",B:"wrong page",C:"no change"};function Ri(e){let{before:t,after:n,step:o,last:a,parts:i,
onChange:s}=e,l=[t,n].map(c=>new Map(c?.steps.map(p=>[p.step,p.outcome??""])??[]));return r("div",{class:"ladder",children:Array.from({length:a+1},(c,p)=>{let[d,
f]=l.map(h=>h.get(p));return r("button",{type:"button",class:`ladder-step${p===i?" ladder-parts":""}`,"aria-current":p===o?"step":void 0,"aria-label":`Step ${p}\
: before ${Ei(d)}, after ${Ei(f)}`,onClick:()=>s(p),children:[r(Ti,{outcome:d}),r(Ti,{outcome:f})]},p)})})}function Ei(e){return e===void 0?"no step":Kc[e]??"no\
 verdict"}function Ti({outcome:e}){return e===void 0?r("span",{class:"ladder-none"}):r("span",{style:{background:`var(${jc[e]??"--quiet-fill"})`}})}var Ci="diff";function Pi({report:e,pair:t}){let n=be(t.before?.episode?`left/episodes/${t.before.episode}`:Ci),o=be(t.after?.episode?`right/episodes/${t.after.
episode}`:Ci),a=t.before?.episode?Mi(n):null,i=t.after?.episode?Mi(o):null,s=n.state==="loading"||o.state==="loading",l=Math.max(0,...[a,i].flatMap(h=>h?.steps.
map(u=>u.step)??[])),c=rt(t),p=Math.min(l,Math.max(0,Number(F("step",String(c??0)))||0)),d=h=>A({step:Math.min(l,Math.max(0,h))});return ae("Two runs",s?[]:[{key:"\
ArrowRight",does:"next step",run:()=>d(p+1)},{key:"ArrowLeft",does:"step before",run:()=>d(p-1)},{key:"Home",does:"first step",run:()=>d(0)},{key:"End",does:"la\
st step",run:()=>d(l)},{key:"f",does:"to the step where the runs part",run:()=>c!==null&&d(c)}]),r("main",{class:"run",children:[r("header",{class:"run-head",children:[
r("h1",{class:"said pair-goal",children:t.goal||t.task}),r("p",{class:"run-about",children:[r(P,{tone:He(t.change).tone,children:He(t.change).title}),t.why&&r("\
span",{class:"said",children:t.why})]})]}),r("section",{class:"panel pair-steps","aria-label":"Steps of both runs",children:[!s&&r(Ri,{before:a,after:i,step:p,last:l,
parts:c,onChange:d}),r("div",{class:"pair-tools",children:[r(_,{icon:"left",label:"Step before",kind:"quiet",disabled:s||p<=0,onClick:()=>d(p-1)}),r("span",{class:"\
num",children:s?"The steps are being loaded.":`Step ${p} of 0 to ${l}`}),r(_,{icon:"right",label:"Next step",kind:"quiet",disabled:s||p>=l,onClick:()=>d(p+1)}),
c!==null&&r(_,{icon:"layers",disabled:s||c===p,onClick:()=>d(c),children:"To where they part"}),c===null&&a&&i&&r("span",{class:"faint",children:["Both took the\
 same way, ",X(l+1,"step"),"."]})]})]}),r("div",{class:"pair",children:[r(mr,{title:"Before",run:e.before,side:t.before,place:vn(e,"left"),episode:n,step:p}),r(
mr,{title:"After",run:e.after,side:t.after,place:vn(e,"right"),episode:o,step:p})]}),!a&&!i&&n.state!=="loading"&&o.state!=="loading"&&r(N,{icon:"image",title:"\
Neither run has steps of this task",children:"The task did not begin on a phone, or its journal is not in the report."})]})}function Mi(e){return e.state==="rea\
dy"?e.part:null}function vn(e,t){let n=t==="left"?e.pictures_before:e.pictures_after;return{parts:`${t}/`,pictures:e.is_trimmed?null:n}}var Li=G([]);function $i(){let{path:e,choices:t}=ge.
value,n=be("diff"),o=n.state==="ready"?`${n.part.before} and ${n.part.after}`:"Two runs";M(()=>{e.length||(Li=G(e,t)),document.title=`${e.at(-1)??o} \xB7 Manyhands`},
[e,o,t]);let a=e.length?[{title:o,href:Li},{title:e.at(-1)??""}]:[{title:o}];return r(x,{children:[r(Mt,{crumbs:a}),r(Ct,{loading:n,children:i=>r(Gc,{report:i,path:e})})]})}
function Gc({report:e,path:t}){let[n,o="",a=""]=t;if(n===void 0)return r(ki,{report:e});if((n==="left"||n==="right")&&o==="episodes")return r(mn,{id:a,place:vn(
e,n)},`${n} ${a}`);let i=e.tasks.find(s=>s.task===o);return n==="tasks"&&i?r(Pi,{report:e,pair:i},o):r("main",{children:[r("h1",{class:"unseen",children:"No suc\
h page"}),r(N,{icon:"search",title:"The report has no such page",action:r("a",{href:G([]),children:"All tasks"}),children:"The address names something that neit\
her of the two runs has."})]})}Nn();Rr(ya()==="diff"?r($i,{}):r(xi,{}),document.getElementById("app"));})();
