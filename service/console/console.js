"use strict";(()=>{var X,Ea,wo,De,bo,un,Pa,cn,Ta,So,xo,zl,$t=Symbol.for("pv"),pn={},mn=[],Dl=/^m(i|n|o|s|text|space)$/,ko=Array.isArray,_o=mn.slice,nt=Object.assign;function tt(e){
e&&e.parentNode&&e.remove()}function Ca(e,t,o){var a,r,i,s={},l=arguments.length;for(i in t)i=="key"?a=t[i]:i=="ref"&&typeof e!="function"?r=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?_o.call(arguments,2):o),At(e,s,a,r,null)}function At(e,t,o,a,r){var i={type:e,props:t,key:o,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:$t,__v:r||++Ea,__i:-1,__u:0};return!r&&X.vnode&&X.
vnode(i),i}function f(e){return e.children}function ft(e,t){this.props=e,this.context=t,this.__g=0}function He(e,t){if(t==null)return e.__&&He(e.__,e.__i+1);for(var o;t<e.
__k.length;t++)if((o=e.__k[t])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:He(e)}function Hl(e){var t,o=e.__v,a=o.__e,r=[],i=[],s=e.__P;
s&&((t=nt({constructor:$t},o)).__v=o.__v+1,X.vnode&&X.vnode(t),Eo(s,t,o,e.__n,s.namespaceURI,32&o.__u?[a]:null,r,a||He(o),32&o.__u,i),t.__v=o.__v,t.__.__k[t.__i]=
t,Ba(r,t,i),o.__=o.__e=null,t.__e!=a&&Ma(t))}function Ma(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
Ma(e)}function ka(e){(8&e.__g||(e.__g|=8,De.push(e),un++))&&bo==X.debounceRendering||((bo=X.debounceRendering)||queueMicrotask)(Ra)}function Ra(){try{for(var e,
t=1;De.length;)De.length>t&&De.sort(Pa),e=De.shift(),t=De.length,8&e.__g&&Hl(e)}finally{(un=De.length)&&(bo||queueMicrotask)(Ra)}}function Aa(e,t,o,a,r,i,s,l,c,u,d){
var m,h,p,v,g,S,N=a.__k||mn,O=t.length;for(c=Ul(o,t,N,c,O),m=0;m<O;m++)(p=o.__k[m])!=null&&(h=~p.__i&&N[p.__i]||pn,p.__i=m,S=Eo(e,p,h,r,i,s,l,c,u,d),v=p.__e,(h.
ref!=p.ref||8&h.__u)&&(h.ref&&Po(h.ref,null,p,h),p.ref&&d.push(p.ref,p.__c||v,p)),g=g||v,4&p.__u?(c=$a(p,c,e,!h.__v),h.__e&&(h.__e=null)):typeof p.type=="functi\
on"&&S!==void 0?c=S:v&&(c=v.nextSibling),p.__u&=-21);return o.__e=g,c}function Ul(e,t,o,a,r){var i,s,l,c,u,d,m,h,p,v=o.length,g=v,S=0,N=0,O=e.__k=Array(r);for(i=
0;i<r;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=O[i]=At(null,s):ko(s)?s=O[i]=At(f,{children:s}):
s.constructor===$t&&s.__b?s=O[i]=At(s.type,s.props,s.key,s.ref,s.__v):O[i]=s,c=i+S,s.__=e,s.__b=e.__b+1,l=null,~(u=s.__i=Vl(s,o,c,g))&&(g--,(l=o[u])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,u==c-1?S--:u==c+1?S++:u!=c&&(u>c?S--:S++,N=1)):(~u||(r>v?S--:r<v&&S++),typeof s.type!="function"&&(s.__u|=4))):O[i]=null;if(N){for(d=[],m=[],
i=0;i<r;i++)if((s=O[i])&&16&s.__u){for(S=0,h=d.length;S<h;)d[p=S+h>>1]<s.__i?S=p+1:h=p;d[S]=s.__i,m[i]=S+1}for(S=d.length;i--;)m[i]&&(m[i]==S?S--:O[i].__u|=4)}if(g)
for(i=0;i<v;i++)!(l=o[i])||2&l.__u||(l.__e==a&&(a=He(l)),To(l,l));return a}function $a(e,t,o,a){var r,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&(r[i].__=e,t=$a(r[i],t,o,!1));return t}for(t&&!t.parentNode&&(t=He(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!a&&o.moveBefore&&s.parentNode?o.moveBefore(s,t):o.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function Vl(e,t,o,a){var r,i=e.key,s=e.type,l=t[o],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return o;if(a>(c?1:0)){for(r=o-1;r>=0;r--)if((l=
t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r;for(r=o+1;r<t.length;r++)if((l=t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r}return-1}function _a(e,t,o){o==null&&
(o=""),t[0]=="-"?e.setProperty(t,o):e[t]=o}function ln(e,t,o,a,r){var i,s;if(t=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof a=="string"&&(e.style.
cssText=a=""),a)for(t in a)o&&t in o||_a(e.style,t);if(o)for(t in o)a&&o[t]==a[t]||_a(e.style,t,o[t])}else if(t[0]=="o"&&t[1]=="n")typeof o!="function"&&(o=null),
typeof a!="function"&&(a=null),(e.__e||(e.__e={}))[t]=o,o&&a||(s=xo[t]||(xo[t]=jl(t)),(e.__a||(e.__a={}))[t]=So,i=t!=(t=t.replace(Ta,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),o?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(r=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&o==1?"":o)}}function jl(e){
return function(t){var o=this.__e;if(o){if(o=o[e],t[cn]==null)t[cn]=So++;else if(t[cn]<this.__a[e])return;return o(X.event?X.event(t):t)}}}function Eo(e,t,o,a,r,i,s,l,c,u){
var d,m,h,p,v,g,S,N,O,U,V,$,R,ae,Ce,Ze,ze,et,Be=t.type;if(t.constructor!==$t)return null;128&o.__u&&(c=32&o.__u,d=o.__c.__z)&&(t.__u|=c,m=i=[],d.nodeType==8?l=dn(
d,i):i.push(d),l=i[0]||l),(d=X.__b)&&d(t);e:if(typeof Be=="function"){h=s.length;try{if(N=t.props,O=(d=Be.prototype)&&d.render,U=(d=Be.contextType)&&a[d.__c],V=
d?U?U.props.value:d.__:a,(p=o.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):(O?t.__c=p=new Be(N,V):(t.__c=p=new ft(N,V),p.constructor=Be,p.render=Gl),U&&U.sub(p),p.state||
(p.state={}),p.__n=a,p.__g|=8,p.__h=[],p.__k=[]),O&&(p.__s||(p.__s=p.state),Be.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=nt({},p.__s)),nt(p.__s,Be.getDerivedStateFromProps(
N,p.__s)))),v=p.props,g=p.state,p.__v=t,o.__c){if(N!==v&&O&&!Be.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(N,V),t.__v==o.
__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(N,p.__s,V)===!1){t.__v!=o.__v&&(p.props=N,p.state=p.__s,p.__g&=-9),t.__e=o.__e,t.__k=
o.__k,t.__k.some(function(we){we&&(we.__=t)}),mn.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&s.push(p),l=He(o);break e}p.componentWillUpdate&&p.componentWillUpdate(
N,p.__s,V),O&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(v,g,S)})}else O&&!Be.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),
O&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=V,p.props=N,p.__P=e,p.__g&=-5,$=X.__r,R=O?25:0;do p.__g&=-9,$&&$(t),d=p.render(p.props,p.state=
p.__s,p.context);while(8&p.__g&&++R<25);O&&(mn.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(a=nt({},a,p.getChildContext())),O&&o.__c&&p.getSnapshotBeforeUpdate&&
(S=p.getSnapshotBeforeUpdate(v,g)),ae=d&&d.type===f&&d.key==null?d.props.children:d,N.__P&&(d=l,r=(e=N.__P).namespaceURI,c=i=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(we){we&&To(we,we)}),o.__k=null),l=o.__k?He(o,0):null),l=Aa(e,ko(ae)?ae:[ae],t,o,a,r,i,s,l,c,u),N.__P&&(t.__e=null,l=d),t.__u&=-161,m&&m.some(tt),p.
__h.length&&s.push(p),1&p.__g&&(p.__g&=-4)}catch(we){if(s.length=h,t.__v=null,c||i)if(we&&we.then){if(t.__u|=128|c,i){for(~(ze=i.indexOf(l||void 0))||(ze=i.length);(et=
i[ze-1])&&et.nodeType==8;)ze--;for(;ze<i.length;ze++)if(et=i[ze])if(i[ze]=null,Ce){if(et==Ze)break}else{if(et.nodeType!=8)break;et.data.startsWith("$s")&&(Ze=dn(
Ce=et))}}if(!Ce){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;Ce=l}(d=dn(Ce=t.__c.__z||(t.__c.__z=Ce)))?(t.__e=Ce,l=d):t.__e=l,l=l&&l.nextSibling}else i&&
i.some(tt);else t.__e=o.__e;t.__k||(t.__k=o.__k||[]),we&&we.then||La(t),X.__e(we,t,o)}}else l=t.__e=Kl(o.__e,t,o,a,r,i,s,c,u,e);return(d=X.diffed)&&d(t),l}function dn(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)
return e}t&&t.push(e)}}function La(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(La))}function Ba(e,t,o){for(var a=0;a<o.length;)Po(o[a++],o[a++],o[a++]);X.__c&&
X.__c(t,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(i){i.call(r)})}catch(i){X.__e(i,r.__v)}})}function Kl(e,t,o,a,r,i,s,l,c,u){var d,m,h,p,v,g,S,
N,O=o.props||pn,U=t.props,V=t.type;if(V=="svg"?r="http://www.w3.org/2000/svg":V=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xht\
ml"),i){for(d=0;d<i.length;d++)if((v=i[d])&&(V?v.localName==V:v.nodeType==3)){e=v,i[d]=null;break}}if(!e){if(N=u.ownerDocument||document,!V)return N.createTextNode(
U);e=N.createElementNS(r,V,U.is?U:u),l&&(X.__m&&X.__m(t,i),l=!1),i=null}if(V){if(u=V=="template"&&e.content||e,i=V=="textarea"&&U.defaultValue!=null?null:i&&_o.
call(u.childNodes),!l&&i)for(O={},d=0;d<e.attributes.length;d++)O[(v=e.attributes[d]).name]=v.value;for(d in O)v=O[d],d=="dangerouslySetInnerHTML"?h=v:d=="child\
ren"||d in U||d=="value"&&"defaultValue"in U||d=="checked"&&"defaultChecked"in U||ln(e,d,null,v,r);for(d in U)v=U[d],d=="children"?p=v:d=="dangerouslySetInnerHT\
ML"?m=v:d=="value"?g=v:d=="checked"?S=v:l&&typeof v!="function"||O[d]===v||ln(e,d,v,O[d],r);m?(l||h&&(m.__html==h.__html||m.__html==e.innerHTML)||(e.innerHTML=m.
__html),t.__k=[]):(h&&(e.textContent=""),(V=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Dl.test(V))&&(r="http://www.w3.org/1999/xhtml"),Aa(u,ko(p)?
p:[p],t,o,a,r,i,s,i?i[0]:o.__k&&He(o,0),l,c),i&&i.some(tt)),l&&V!="textarea"||(d="value",V=="progress"&&g==null?e.removeAttribute(d):g==null||g===e[d]&&(V!="pro\
gress"||g)||ln(e,d,g,O[d],r),d="checked",S!=null&&S!=e[d]&&ln(e,d,S,O[d],r))}else O===U||l&&e.data==U||(e.data=U);return e}function Po(e,t,o,a){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:a&&(a=a.__c||a.__e)&&(t=a.__x)&&(a.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(r){X.__e(r,o)}}function To(e,t,o){var a,
r,i,s;if(X.unmount&&X.unmount(e),!(a=e.ref)||a.current&&a.current!=e.__e||Po(a,null,t,e),a=e.__c){if(a.componentWillUnmount)try{a.componentWillUnmount()}catch(l){
X.__e(l,t)}a.__P=a.__n=null}if(a=e.__k)for(s=0;s<a.length;s++)a[s]&&To(a[s],t,typeof e.type!="function"||o&&!e.props.__P);!o&&(a=e.__c)&&(a=a.__z)&&(r=dn(a,i=[]))&&
(a==e.__e&&i.some(tt),tt(r),tt(a)),o||tt(e.__e),e.__e=e.__c=e.__=null}function Gl(e,t,o){return this.constructor(e,o)}function Na(e,t){var o,a,r,i;X.__&&X.__(e,
t),t.nodeType==9&&(t=t.documentElement),a=(o=e&&32&e.__u)?null:t.__k,t.__k=At(f,{children:[e]}),r=[],i=[],Eo(t,t.__k,a||pn,pn,t.namespaceURI,a?null:t.firstChild?
_o.call(t.childNodes):null,r,a?a.__e:t.firstChild,o,i),Ba(r,t.__k,i),t.__k.props.children=null}X={__e:function(e,t,o,a){for(var r,i,s;t=t.__;)if((r=t.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(i=r.constructor)&&i.getDerivedStateFromError)&&r.setState(i.getDerivedStateFromError(
e)),r.componentDidCatch&&(r.componentDidCatch(e,a||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(l){e=l}}throw un=0,e}},Ea=0,wo=function(e){return e!=null&&e.
constructor===$t},ft.prototype.setState=function(e,t){var o=this.__s;o&&o!=this.state||(o=this.__s=nt({},this.state)),typeof e=="function"&&(e=e(nt({},o),this.props)),
e&&(nt(o,e),this.__v&&(t&&this.__k.push(t),ka(this)))},ft.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),ka(this))},ft.prototype.render=
f,De=[],un=0,Pa=function(e,t){return e.__v.__b-t.__v.__b},cn=Symbol(),Ta=/(PointerCapture)$|Capture$/i,So=0,xo={},zl=0;var ot,te,Co,Fa,Mo=Object.is,fn=0,Ha=[],Ro=[],ee=X,Oa=ee.__b,Ia=ee.__r,Ja=ee.diffed,qa=ee.__c,Xa=ee.unmount,Wa=ee.__;function Bt(e,t){ee.__h&&ee.__h(te,e,fn||t),
fn=0;var o=te.__H||(te.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function _(e){return fn=1,Yl(Ua,e)}function Yl(e,t,o){var a=Bt(ot++,2);if(a.
t=e,!a.__c&&(a.__=[o?o(t):Ua(void 0,t),function(i){var s=(a.__N||a.__)[0],l=a.t(s,i);Mo(s,l)||(a.__N=[l,a.__[1]],a.__c.setState({}))}],a.__c=te,!te.__f)){te.__f=
!0;var r=te.shouldComponentUpdate;te.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var u=!1,d=this.props!=i;if(c.__.some(function(h){h.__N&&
(u=!0,Mo(h.__[0],h.__N[0])||(d=!0))}),r){var m=r.call(this,i,s,l);return u?m||d:m}return!u||d}}return a.__}function w(e,t){var o=Bt(ot++,3);!ee.__s&&$o(o.__H,t)&&
(o.__P=!0,o.__=e,o.u=t,te.__H.__h.push(o))}function re(e,t){var o=Bt(ot++,4);!ee.__s&&$o(o.__H,t)&&(o.__P=!1,o.__=e,o.u=t,te.__h.push(o))}function F(e){return fn=
5,H(function(){return{current:e}},[])}function H(e,t){var o=Bt(ot++,7);return $o(o.__H,t)&&(o.__=e(),o.__H=t),o.__}function hn(){var e=Bt(ot++,11);if(!e.__){for(var t=te.__v;!t.__m&&t.__;)t=t.__;var o=t.__m||(t.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function Ql(){var e;
do{for(;e=Ro.shift();)try{Lt(e)}catch(o){ee.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=Ha.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Lt),t.__h.some(Ao),t.__h=[]}catch(o){
t.__h=[],ee.__e(o,e.__v)}}}while(Ro.length)}ee.__b=function(e){te=null,Oa&&Oa(e)},ee.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Wa&&Wa(e,t)},ee.__r=
function(e){Ia&&Ia(e),ot=0;var t=(te=e.__c).__H;t&&(Co==te?te.__h=[]:(t.__h.some(Lt),t.__h.some(Ao),ot=0),t.__h=[],t.__.some(function(o){o.__N&&(o.__=o.__N),o.u=
o.__N=void 0})),Co=te},ee.diffed=function(e){Ja&&Ja(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Da(Ha.push(t)),t.__H.__.some(function(o){o.u&&(o.__H=o.u)})),Co=
te=null},ee.__c=function(e,t){t.some(function(o){try{o.__h.some(Lt),o.__h=o.__h.filter(function(a){return!a.__||Ao(a)})}catch(a){o.__h=[function(){throw a}]}}),
qa&&qa(e,t)},ee.unmount=function(e){Xa&&Xa(e);var t,o,a=e.__c;a&&a.__H&&(a.__H.__.some(function(r){try{if(r.__P&&r.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.
__c.__P);)o=o.__;o=o&&o.__c}r.__P=o,Da(Ro.push(r))}else Lt(r)}catch(i){t=i}}),a.__H=void 0,t&&ee.__e(t,a.__v))};var za=typeof requestAnimationFrame=="function";
function Zl(e){var t,o=function(){clearTimeout(a),za&&cancelAnimationFrame(t),setTimeout(e)},a=setTimeout(o,35);za&&(t=requestAnimationFrame(o))}function Da(e){
e!=1&&Fa==ee.requestAnimationFrame||((Fa=ee.requestAnimationFrame)||Zl)(Ql)}function Lt(e){var t=te,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),te=t}function Ao(e){
var t=te;e.__c=e.__(),te=t}function $o(e,t){return!e||e.length!=t.length||t.some(function(o,a){return!Mo(o,e[a])})}function Ua(e,t){return typeof t=="function"?
t(e):t}var ec=Symbol.for("preact-signals");function bn(){if(Ne>1)Ne--;else{var e,t=!1;for((function(){var r=vn;for(vn=void 0;r!==void 0;){var i=r.S;if(i.v===r.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===r.i&&(s.i=i.i);r=r.o}})();Ft!==void 0;){var o=Ft;for(Ft=void 0,gn++;o!==void 0;){var a=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&ja(o))try{o.
c()}catch(r){t||(e=r,t=!0)}o=a}}if(gn=0,Ne--,t)throw e}}function ht(e){if(Ne>0)return e();Lo=++tc,Ne++;try{return e()}finally{bn()}}var Nt,K=void 0;function Ot(e){
var t=K,o=Nt;K=void 0,Nt=void 0;try{return e()}finally{K=t,Nt=o}}var Ft=void 0,Ne=0,gn=0,tc=0,Lo=0,vn=void 0,yn=0;function Va(e){if(K!==void 0){var t=e.n;if(t===
void 0||t.t!==K)return t={i:0,S:e,p:K.s,n:void 0,t:K,e:void 0,x:void 0,r:t},K.s!==void 0&&(K.s.n=t),K.s=t,e.n=t,32&K.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=K.s,t.n=void 0,K.s.n=t,K.s=t),t}}function ie(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}ie.prototype.brand=ec;ie.prototype.h=function(){return!0};ie.prototype.S=function(e){var t=this,o=this.t;o!==e&&
e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:Ot(function(){var a;(a=t.W)==null||a.call(t)}))};ie.prototype.U=function(e){var t=this;if(this.t!==void 0){var o=e.
e,a=e.x;o!==void 0&&(o.x=a,e.e=void 0),a!==void 0&&(a.e=o,e.x=void 0),e===this.t&&(this.t=a,a===void 0&&Ot(function(){var r;(r=t.Z)==null||r.call(t)}))}};ie.prototype.
subscribe=function(e){var t=this;return Fe(function(){var o=t.value;Ot(function(){return e(o)})},{name:"sub"})};ie.prototype.valueOf=function(){return this.value};
ie.prototype.toString=function(){return this.value+""};ie.prototype.toJSON=function(){return this.value};ie.prototype.peek=function(){var e=this;return Ot(function(){
return e.value})};Object.defineProperty(ie.prototype,"value",{get:function(){var e=Va(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.
v){if(gn>100)throw new Error("Cycle detected");(function(o){Ne!==0&&gn===0&&o.l!==Lo&&(o.l=Lo,vn={S:o,v:o.v,i:o.i,o:vn})})(this),this.v=e,this.i++,yn++,Ne++;try{
for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{bn()}}}});function M(e,t){return new ie(e,t)}function ja(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.
S.h()||t.S.i!==t.i)return!0;return!1}function Ka(e){for(var t=e.s;t!==void 0;t=t.n){var o=t.S.n;if(o!==void 0&&(t.r=o),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}
function Ga(e){for(var t=e.s,o=void 0;t!==void 0;){var a=t.p;t.i===-1?(t.S.U(t),a!==void 0&&(a.n=t.n),t.n!==void 0&&(t.n.p=a)):o=t,t.S.n=t.r,t.r!==void 0&&(t.r=
void 0),t=a}e.s=o}function at(e,t){ie.call(this,void 0,t),this.x=e,this.s=void 0,this.g=yn-1,this.f=4}at.prototype=new ie;at.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===yn))return!0;if(this.g=yn,this.f|=1,this.i>0&&!ja(this))return this.f&=-2,!0;var e=K;try{Ka(this),K=this;
var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return K=e,Ga(this),this.f&=-2,!0};at.
prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}ie.prototype.S.call(this,e)};at.prototype.U=function(e){if(this.
t!==void 0&&(ie.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};at.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(at.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Va(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function ye(e,t){return new at(e,t)}function Ya(e){var t=e.j;if(e.j=void 0,typeof t==
"function"){Ne++;var o=K;K=void 0;try{t()}catch(a){throw e.f&=-2,e.f|=8,Bo(e),a}finally{K=o,bn()}}}function Bo(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,
e.s=void 0,Ya(e)}function nc(e){if(K!==this)throw new Error("Out-of-order effect");Ga(this),K=e,this.f&=-2;try{8&this.f&&Bo(this)}finally{bn()}}function gt(e,t){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,Nt&&Nt.push(this)}gt.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};gt.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,Ya(this),Ka(this),Ne++;var e=K;return K=this,nc.bind(this,e)};gt.prototype.N=function(){2&this.f||(this.f|=2,this.u=Ft,Ft=this)};gt.prototype.d=function(){
this.f|=8,1&this.f||Bo(this)};gt.prototype.dispose=function(){this.d()};function Fe(e,t){var o=new gt(e,t);try{o.c()}catch(r){throw o.d(),r}var a=o.d.bind(o);return a[Symbol.
dispose]=a,a}var Qa,Jt,xn,oc=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Za=[];Fe(function(){Qa=this.N})();function vt(e,t){X[e]=t.bind(null,X[e]||function(){})}function It(e){if(xn){var t=xn;xn=void 0,t()}xn=e&&e.S()}function er(e){
var t=this,o=e.data,a=E(o);a.name="ReactiveDom",a.value=o;var r=H(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var u=ye(function(){var p=a.
value.value;return p===0?0:p===!0?"":p||""}),d=ye(function(){return!Array.isArray(u.value)&&!wo(u.value)}),m=Fe(function(){if(this.N=tr,d.value){var p=u.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=p)}}),h=t.__$u.d;return t.__$u.d=function(){m(),h.call(this)},[d,u]},[]),i=r[0],s=r[1];return i.value?s.
peek():s.value}er.displayName="ReactiveTextNode";Object.defineProperties(ie.prototype,{constructor:{configurable:!0,value:Ca(f,null).constructor},type:{configurable:!0,
value:er},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});vt("__b",function(e,t){if(It(),
Jt=void 0,typeof t.type=="string"){var o,a=t.props;for(var r in a)if(r!=="children"){var i=a[r];i instanceof ie&&(o||(t.__np=o={}),o[r]=i,a[r]=i.peek())}}e(t)});
vt("__r",function(e,t){if(e(t),t.type!==f){It();var o,a=t.__c;a&&(a.__$f&=-2,(o=a.__$u)===void 0&&(a.__$u=o=(function(r,i){var s;return Fe(function(){s=this},{name:i}),
s.c=r,s})((function(r){return function(){var i;oc&&((i=this.y)==null||i.call(this)),r.__$f|=1,r.setState({})}})(a),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Jt=a,It(o)}});vt("__e",function(e,t,o,a){It(),Jt=void 0,e(t,o,a)});vt("diffed",function(e,t){It(),Jt=void 0;var o;if(typeof t.type=="string"&&
(o=t.__e)){var a=t.__np,r=t.props,i=o.U;if(i)for(var s in i){var l=i[s];l===void 0||a&&s in a||(l.d(),i[s]=void 0)}if(a){i||(i={},o.U=i);for(var c in a){var u=i[c],
d=a[c];u===void 0?(u=ac(o,c,d,r),i[c]=u):u.o(d,r)}}}e(t)});function ac(e,t,o,a){var r=t in e&&e.ownerSVGElement===void 0,i=M(o);return{o:function(s,l){i.value=s,
a=l},d:Fe(function(){this.N=tr;var s=i.value.value;a[t]!==s&&(a[t]=s,r?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}vt("unm\
ount",function(e,t){if(typeof t.type=="string"){var o=t.__e;if(o){var a=o.U;if(a){o.U=void 0;for(var r in a){var i=a[r];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var c in s)l[c]=s[c]}t.__np=void 0}else{var u=t.__c;if(u){u.__$f|=8;var d=u.__$u;d&&(u.__$u=void 0,d.d())}}e(t)});vt("__h",function(e,t,o,a){a<3&&(t.__$f|=2),
e(t,o,a)});ft.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var o=this.__$u,a=o&&o.s!==void 0;for(var r in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(a||i||4&this.__$f)||1&this.__$f)return!0}else if(!(a||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function E(e,t){return H(function(){return M(e,t)},[])}function rt(e,t){
var o=F(e);return o.current=e,Jt.__$f|=4,H(function(){return ye(function(){return o.current()},t)},[])}var rc=function(e){queueMicrotask(function(){queueMicrotask(e)})};function ic(){ht(function(){for(var e;e=Za.shift();)Qa.call(e)})}function tr(){Za.push(this)===1&&(X.requestAnimationFrame||rc)(ic)}var nr="manyhands-theme",qt=M(sc());function sc(){try{let e=localStorage.getItem(nr);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function or(e){
qt.value=e;try{localStorage.setItem(nr,e)}catch{}No()}function No(){let e=document.documentElement;qt.value==="system"?delete e.dataset.theme:e.dataset.theme=qt.
value,ar.value+=1}var ar=M(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{ar.value+=1});var yt=M(Fo(location.hash)),Oe=ye(()=>yt.value);addEventListener("hashchange",()=>{yt.value=Fo(location.hash)});function Fo(e){let t=e.replace(/^#\/?/,""),o=t.indexOf(
"?"),a=(o<0?t:t.slice(0,o)).split("/").filter(Boolean).map(lc),r=Object.create(null);if(o>=0)for(let[i,s]of new URLSearchParams(t.slice(o+1)))s&&(r[i]=s);return{
path:a,choices:r}}function lc(e){try{return decodeURIComponent(e)}catch{return e}}function me(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&o.set(r,String(i));let a=o.toString();return`#/${e.map(encodeURIComponent).join("/")}${a&&`?${a}`}`}function se(e,t={},{replace:o=!1}={}){
let a=me(e,t);a!==location.hash&&(o?history.replaceState(null,"",a):history.pushState(null,"",a),yt.value=Fo(a))}function I(e,{replace:t=!0}={}){se(yt.value.path,
{...yt.value.choices,...e},{replace:t})}function T(e,t=""){return yt.value.choices[e]??t}var Ie=class extends Error{constructor(o){super(o.detail||o.title);this.problem=o;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},rr={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function wn(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let o=await e.json();return typeof o=="object"&&o!==null?
{...t,...o}:t}catch{return t}}function G(e){return e instanceof Ie?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var cc="/api/v1",dc=3e4,Sn=new Set;function sr(e){return Sn.add(e),()=>Sn.delete(e)}function fe(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(
t))i!=null&&i!==""&&o.set(r,String(i));let a=o.toString();return`${cc}${e}${a?`?${a}`:""}`}var P=encodeURIComponent;async function le(e,t={}){let o={Accept:"app\
lication/json",...t.headers},a;t.text?(o["Content-Type"]=t.text.type,a=t.text.content):t.body!==void 0&&(o["Content-Type"]="application/json",a=JSON.stringify(t.
body));let r=AbortSignal.timeout(dc),i=t.signal?AbortSignal.any([t.signal,r]):r,s;try{s=await fetch(fe(e,t.query),{method:t.method??"GET",headers:o,signal:i,credentials:"\
same-origin",keepalive:t.isLast??!1,...a===void 0?{}:{body:a}})}catch(l){throw t.signal?.aborted?l:ir(new Ie(rr))}if(!s.ok&&s.status!==304)throw ir(new Ie(await wn(
s)));return Sn.forEach(l=>l(null)),s}async function A(e,t,o){let a={...t?{query:t}:{},...o?{signal:o}:{}};return await(await le(e,a)).json()}async function q(e,t,o){
let a=await le(t,{method:e,...o===void 0?{}:{body:o}});return a.status===204?void 0:await a.json()}function ir(e){return Sn.forEach(t=>t(e)),e}var ce=M({kind:"asking"}),dr=ye(()=>ce.value),Oo=["read","submit","operate","approve"],ur={read:"look at everything",submit:"submit work, and change your own",operate:"\
change everybody's work, and phones",approve:"allow actions that pay, send or delete"};function Io(){return ce.value.kind==="in"?ce.value.status.role:null}function he(){
return ce.value.kind==="in"?ce.value.status.owner:""}function oe(e,t){let o=Io();if(o===null)return"Sign in first.";let a=Oo.indexOf(o);return a<Oo.indexOf(e)?`\
Your role is ${o}. This needs the role ${e}.`:t!==void 0&&t!==he()&&a<Oo.indexOf("operate")?`This belongs to ${t}. To change the work of others, you need the ro\
le operate.`:null}async function pr(){sr(e=>{e?.needsSignIn&&ce.value.kind==="in"&&(ce.value={kind:"out",problem:e.problem})}),addEventListener("hashchange",()=>{
let e=cr();e!==null&&lr(e)}),await lr(cr())}async function lr(e){let t;try{t=await A("/session")}catch(o){if(e!==null)return await Xt(e);let a=G(o);ce.value={kind:"\
out",problem:a.status===401?null:a};return}e===null?ce.value={kind:"in",status:t}:await uc(t,e)}async function uc(e,t){try{let a=await(await le("/session",{headers:{
Authorization:`Bearer ${t}`}})).json();if(a.owner===e.owner&&a.role===e.role)return await Xt(t);ce.value={kind:"choosing",status:e,other:a,token:t}}catch{ce.value=
{kind:"in",status:e}}}async function mr(e){if(ce.value.kind!=="choosing")return;let{status:t,token:o}=ce.value;if(!e){ce.value={kind:"in",status:t};return}await q(
"DELETE","/session").catch(()=>{}),await Xt(o)}async function Xt(e){try{let t=await le("/session",{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});
ce.value={kind:"in",status:await t.json()}}catch(t){ce.value={kind:"out",problem:G(t)}}}async function fr(){await q("DELETE","/session"),ce.value={kind:"out",problem:null}}
function cr(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);if(e===null)return null;se([],{},{replace:!0});try{return decodeURIComponent(e[1]??"")||null}catch{
return null}}var hr=M(Date.now()/1e3),pc,Se=ye(()=>hr.value);function gr(){pc??=setInterval(()=>{document.hidden||(hr.value=Date.now()/1e3)},1e3)}var mc=Symbol.for("pv"),fc=0;function n(e,t,o,a,r,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var u={type:e,props:c,key:o,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:mc,__v:--fc,__i:-1,__u:0};return(r||i)&&(u.__source=r,u.__self=i),X.vnode&&X.vnode(u),u}var hc={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function y({name:e,size:t=16,label:o}){return n("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:o?"img":void 0,"aria-label":o,"aria-hidden":o?void 0:"true",focusable:"false",children:n("path",{d:hc[e]})})}var vr=M([]),kn=ye(()=>{let e=vr.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function Jo(e){
vr.value=e}var _n=class{#t="";#e=[];#n=null;take(t){let o=[],a=(this.#t+t).split(/\r?\n/);this.#t=a.pop()??"";for(let r of a)this.#a(r,o);return o}#a(t,o){if(t===""){(this.#e.
length>0||this.#n!==null)&&o.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let a=t.indexOf(":");if(a===0)return;let r=a<0?t:t.slice(0,a),i=a<0?"":t.slice(a+1).replace(/^ /,"");r==="data"?this.#e.push(
i):r==="id"&&!i.includes("\0")&&(this.#n=i)}};var gc=500,vc=15e3,yc=4e4,bc=1e4,Ue=class{#t=M("connecting");#e;#n=new AbortController;#a=0;#o=null;#i=null;#r=!1;constructor(t){this.#e=t,addEventListener("onl\
ine",this.#l),addEventListener("offline",this.#s),document.addEventListener("visibilitychange",this.#c),this.#u()}get state(){return this.#t}close(){this.#r=!0,
this.#t.value="closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#s),document.removeEventListener("visibilitychange",this.#c),this.#s(),
this.#l()}#s=()=>this.#n.abort();#l=()=>{this.#i?.()};#c=()=>{document.hidden?this.#s():this.#l()};async#u(){for(;!this.#r;){if(document.hidden){await this.#d(null);
continue}try{await this.#p()}catch(o){o instanceof Ie&&o.needsSignIn&&(this.#a=6)}if(this.#r)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.
min(vc,gc*2**this.#a++);await this.#d(t*(.75+Math.random()/2))}}async#p(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#o!==null&&(t["Las\
t-Event-ID"]=this.#o);let o=fe(this.#e.path,this.#e.query?.()??{}),a=fetch(o,{headers:t,signal:this.#n.signal,credentials:"same-origin"}),r=setTimeout(this.#s,bc),
i=await a.finally(()=>clearTimeout(r));if(!i.ok||i.body===null)throw new Ie(await wn(i));this.#a=0,this.#t.value="open",this.#e.onOpen?.();let s=new _n,l=i.body.
pipeThrough(new TextDecoderStream).getReader();for(;;){let c=setTimeout(this.#s,yc),{done:u,value:d}=await l.read().finally(()=>clearTimeout(c));if(u)return;for(let m of s.
take(d))m.id!==null&&(this.#o=m.id),m.data!==""&&this.#e.onEvent(m)}}#d(t){return new Promise(o=>{let a=t===null?void 0:setTimeout(o,t);this.#i=()=>{clearTimeout(
a),o()}}).then(()=>{this.#i=null})}};var xc=300,En=new Set,Pn=null,qo=M([]);function Me(e){return En.add(e),()=>En.delete(e)}function yr(){return Pn??=new Ue({path:"/events",onOpen:()=>En.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>wc(JSON.parse(e))}),Pn}function br(){Pn?.close(),Pn=null,qo.value=[]}function wc(e){e.kind!=="task.step"&&(qo.value=[e,...qo.value].
slice(0,xc)),En.forEach(t=>t.onEvent?.(e))}var Je=new Map,Wt=M(0),Xo=M(!1),Tn=null,bt=Wt,Cn=Xo;function xr(){return Tn??=new Ue({path:"/wall",onEvent:({data:e})=>Sc(JSON.parse(e))}),Tn}function wr(){Tn?.
close(),Tn=null,Je.clear(),ht(()=>{Xo.value=!1,Wt.value++})}function Ve(){return Wt.value,[...Je.values()].map(e=>e.peek()).sort((e,t)=>Ec(e.serial,t.serial))}function xt(e){
return Je.get(e)}function Mn(e){let t=Je.get(e.serial);t!==void 0&&(t.value={...t.peek(),...e},Wt.value++)}function Sc(e){ht(()=>{if(e.is_whole){let t=new Set(e.
phones.map(o=>o.serial));for(let o of Je.keys())t.has(o)||Je.delete(o)}for(let t of e.gone)Je.delete(t);for(let t of e.phones)kc(t);Xo.value=!0,Wt.value++})}function kc(e){
let t=Je.get(e.serial);if(t===void 0){Je.set(e.serial,M(e));return}let o=t.peek(),a=o.screen===e.screen||e.task!=null&&o.task===e.task,r=e.thumbnail==null&&a;t.
value=r?{...e,thumbnail:o.thumbnail??null}:e}var _c=new Intl.Collator("en",{numeric:!0});function Ec(e,t){return _c.compare(e,t)}var Pc=500,Tc=4e3,zo=M(new Set),Wo=new Map;function kr(e){return e!==void 0&&zo.value.has(e)}function Do(e){if(e===void 0)return Promise.resolve(!1);let t=Wo.get(
e);return t===void 0&&(t=Cc(e).finally(()=>Wo.delete(e)),Wo.set(e,t)),t}async function zt(e,t){for(let o=!0;;)try{return await t()}catch(a){let r=await Do(e);if(!r&&
!o)throw a;o=r}}async function Cc(e){if(await e())return!1;Sr(e,!0);for(let t=Pc;await Mc(t),!await e();t=Math.min(Tc,2*t));return Sr(e,!1),!0}function Sr(e,t){
let o=[...zo.peek()].filter(a=>a!==e);zo.value=new Set(t?[...o,e]:o)}function Mc(e){return new Promise(t=>{let o=()=>{clearTimeout(a),removeEventListener("onlin\
e",o),t()},a=setTimeout(o,e);addEventListener("online",o)})}var Rc=[0,502,503,504];async function Dt(){try{return await A("/session"),!0}catch(e){return!Rc.includes(G(e).status)}}var Ac=/\/api\/v1\/episodes\/[^/]+\/screens\//,$c=6,Lc=300,Ho=new WeakMap;function Er(){return addEventListener("error",_r,!0),()=>removeEventListener("error",_r,
!0)}function _r(e){let t=e.target;if(!(t instanceof HTMLImageElement)||!Ac.test(t.src))return;let o=t.src,a=Ho.get(t),r=a?.source===o?a.count+1:1;Ho.set(t,{source:o,
count:r});let i=()=>{t.isConnected&&t.src===o&&(t.src=o)};if(r<=$c){e.stopPropagation(),setTimeout(i,Lc*2**(r-1));return}Do(Dt).then(s=>{s&&(Ho.delete(t),i())})}var Bc=1500,Nc=3e3;function Pr(){let e=E("nothing"),t=kn.value;return w(()=>{if(t==="lost"&&e.value!=="lost"){let o=setTimeout(()=>e.value="lost",Bc);return()=>clearTimeout(
o)}if(t==="connected"&&e.value==="lost"){e.value="back";let o=setTimeout(()=>e.value="nothing",Nc);return()=>clearTimeout(o)}},[t]),n("div",{class:"connection",
role:"status",children:[e.value==="lost"&&n("p",{class:"connection-lost",children:[n(y,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&n("p",{class:"connection-back",children:[n(y,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function x({icon:e,label:t,kind:o="plain",pressed:a,children:r,class:i,...s}){return n("button",{type:"button",...s,class:`button button-${o}${e&&!r?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":a,children:[e&&n(y,{name:e}),r]})}function Tr(e){let t=F(null),o=hn();return w(()=>{let a=t.current;return a?.showModal(),()=>a?.close()},[]),n("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":o,onCancel:a=>{a.preventDefault(),e.onClose()},onClick:a=>a.target===t.current&&e.onClose(),children:n("div",{class:"dialog-inside",children:[
n("header",{class:"dialog-head",children:[n("h2",{id:o,children:e.title}),n(x,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),n("div",{class:"di\
alog-body",children:e.children}),e.foot&&n("footer",{class:"dialog-foot",children:e.foot})]})})}var it=M([]);function je(e,t){let o=F(t);o.current=t;let a=t.map(r=>`${r.key} ${r.does}`).join(`
`);re(()=>{let r={title:e,keys:o.current.map((i,s)=>i.run?{...i,run:()=>o.current[s]?.run?.()}:i)};return it.value=[...it.value,r],()=>{it.value=it.value.filter(
i=>i!==r)}},[e,a])}function Fc(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof
HTMLTextAreaElement||e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||
Fc(e.target)||document.querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof
HTMLElement&&e.target.closest("button, a, summary, input")))for(let o of[...it.value].reverse()){let a=o.keys.find(r=>r.key===t&&r.run);if(a){e.preventDefault(),
a.run?.();return}}});var Oc={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function Cr(){let[e,t]=_(!1);return je("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),n(f,{children:[n(x,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&n(Tr,{title:"Keys",onClose:()=>t(
!1),children:[...it.value].reverse().map(o=>n("section",{class:"keyhelp",children:[n("h3",{children:o.title}),n("dl",{children:o.keys.map(a=>n("div",{children:[
n("dt",{children:a.key.split("+").map(r=>n("kbd",{children:Oc[r]??r},r))}),n("dd",{children:a.does})]},a.key))})]},o.title))})]})}var Ic=new Intl.NumberFormat("en",{maximumFractionDigits:0}),Mr=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),Jc=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),qc=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),ge="\u2013";function k(e){return e==
null?ge:Ic.format(e).replace("-","\u2212")}function be(e){if(e==null||Number.isNaN(e))return ge;let t=Math.abs(e),o=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:o}).replace("-","\u2212")}function W(e){if(e==null||Number.isNaN(e))return ge;if(e<0)return"\u2212"+W(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return Uo(Math.floor(t/60),"min",t%60,"s");let o=Math.round(e/60);if(o<1440)return Uo(Math.floor(o/60),"h",o%60,"min");let a=Math.round(e/3600);
return Uo(Math.floor(a/24),"d",a%24,"h")}function Uo(e,t,o,a){let r=`${e}\xA0${t}`;return o?`${r}\xA0${o}\xA0${a}`:r}function ke(e){if(e==null||Number.isNaN(e))
return ge;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?Xc(t.toFixed(1)):Math.round(t)}\xA0%`}function Xc(e){return e.replace(/\.0$/,"")}function ve(e){if(e==null)
return ge;for(let[t,o]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${be(Number((e/t).toPrecision(3)))}\xA0${o}`;return be(e)}function wt(e){return e==null?ge:Mr.format(e*1e3)}function Y(e){return e==null?ge:`${Jc.format(e*1e3)}, ${Mr.format(e*1e3)}`}function Rr(e){return qc.formatToParts(
e*1e3).find(t=>t.type==="timeZoneName")?.value??""}function L(e,t,o=`${t}s`){return`${k(e)}\xA0${e===1?t:o}`}var Ar="Manyhands",Wc=1500,zc=3e4,Ke=M(null),Ht=M(null),Rn=M(""),An,Vo=!1;function $r(){Vo=!0;let e=Me({onEvent:o=>{Dc(o)&&_e()},onOpen:()=>_e(0)}),t=Fe(()=>{let o=Ke.
value?.open??0;document.title=`${o>0?`(${o}) `:""}${Rn.value?`${Rn.value} \xB7 `:""}${Ar}`});return Lr(),()=>{Vo=!1,clearTimeout(An),An=void 0,e(),t(),Ke.value=
null,document.title=Ar}}function _e(e=Wc){clearTimeout(An),An=setTimeout(()=>{Lr()},e)}async function Lr(){try{Ke.value=await A("/attention"),Ht.value=null}catch(e){
Ht.value=G(e)}Vo&&_e(zc)}function Dc(e){return e.kind==="task.ended"?Ke.value?.held?.some(t=>t.task===e.task)??!1:e.kind==="task.failed"||e.kind==="task.retried"||
/^(phone|model|episode)\./.test(e.kind)}function J(e){let t=E(!1),o=E(null),a=E(null),r=()=>{o.value=null,a.value=null};return{isRunning:t,problem:o,result:a,run:async(...s)=>{if(t.value)return!1;t.value=
!0,r();try{return a.value=await e(...s)??null,!0}catch(l){return o.value=G(l),!1}finally{t.value=!1}},forget:r}}function C({problem:e,children:t}){return n("div",{class:"note note-bad",role:"alert",children:[n(y,{name:"warning"}),n("div",{class:"note-body",children:[n("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&n("p",{class:"said",children:e.detail}),e.mistakes.length>0&&n("ul",{class:"note-list",
children:e.mistakes.map(o=>n("li",{class:"said",children:o},o))}),t]})]})}function ne(e){let t=e.tone??"good";return n("div",{class:`note note-${t}`,role:"statu\
s",children:[n(y,{name:t==="good"?"check":t==="warn"?"warning":"info"}),n("div",{class:"note-body",children:e.children})]})}var Hc=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function Br(){let e=hn(),
t=J(fr),o=Io();return n("div",{class:"person",children:[n("button",{type:"button",class:"person-button",popovertarget:e,children:[n("span",{class:"unseen",children:"\
Signed in as"}),n("span",{class:"person-initial","aria-hidden":"true",children:he().slice(0,1).toUpperCase()}),n("span",{class:"person-name",children:[n("span",
{class:"clip",children:he()}),n("span",{class:"person-role",children:o})]})]}),n("div",{id:e,class:"person-menu",popover:"auto",children:[n("p",{children:[n("st\
rong",{class:"said",children:he()}),n("br",{}),n("span",{class:"quiet",children:["Role ",o,": ",o&&ur[o],"."]})]}),n("fieldset",{class:"person-themes",children:[
n("legend",{children:"Colours"}),Hc.map(a=>n(x,{kind:"quiet",icon:a.icon,label:a.name,pressed:qt.value===a.theme,onClick:()=>or(a.theme)},a.theme))]}),n("a",{class:"\
person-link",href:"/docs",children:[n(y,{name:"book"})," All requests of this service"]}),n(x,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign o\
ut"}),t.problem.value&&n(C,{problem:t.problem.value})]})]})}var b={fleet:(e={})=>me(["fleet"],e),phone:(e,t={})=>me(["phones",e],t),work:(e={})=>me(["work"],e),submit:(e={})=>me(["work","submit"],e),schedules:(e={})=>me(
["work","schedules"],e),newSchedule:()=>me(["work","schedules","new"]),batch:(e,t={})=>me(["batches",e],t),task:e=>me(["tasks",e]),episode:(e,t={})=>me(["episod\
es",e],t),attention:(e={})=>me(["attention"],e),health:(e={})=>me(["health"],e)};function Nr(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"\
schedules":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var Or=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function Ir(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let o of e)t[o.phase]++;return t}function Ln(e,t){let o=t.toLowerCase().split(/\s+/).filter(Boolean);return o.
length===0?e:e.filter(a=>{let r=Uc(a);return o.every(i=>r.includes(i))})}function Uc(e){let t=Object.entries(e.labels??{}).filter(([a])=>!a.startsWith("app:")).
map(([a,r])=>`${a}=${r}`),o=e.taken_over_by&&`taken over by ${e.taken_over_by}`;return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason,o].join(`
`).toLowerCase()}function Jr(e){let t=new Set;for(let o of e)for(let a of Object.keys(o.labels??{}))!a.startsWith("app:")&&a!=="serial"&&t.add(a);return[...t].sort()}
function qr(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let o=new Map;for(let a of e){let r=a.labels?.[t]??"",i=o.get(r);i?i.push(a):o.set(r,[a])}
return[...o].sort(([a],[r])=>a===""?1:r===""?-1:a.localeCompare(r,"en",{numeric:!0})).map(([a,r])=>({name:a||`no label ${t}`,phones:r}))}var $n=12,Fr=42,Vc={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function Xr(e,t,o){let a=Vc[t],r=Math.max(1,Math.floor((o+$n)/(a.width+$n))),i=[],s=0;return e.
forEach((l,c)=>{l.name!==""&&(i.push({kind:"header",key:`h${c}`,top:s,height:Fr,group:l}),s+=Fr);for(let u=0;u<l.phones.length;u+=r){let d=l.phones.slice(u,u+r).
map(m=>m.serial);i.push({kind:"tiles",key:`${c}:${u}`,top:s,height:a.height,serials:d}),s+=a.height+$n}}),{columns:r,height:Math.max(0,s-$n),rows:i}}function Wr(e,t,o){
let a=0,r=e.length;for(;a<r;){let s=a+r>>1,l=e[s];l.top+l.height<t?a=s+1:r=s}let i=a;for(;i<e.length&&e[i].top<=o;)i++;return[a,i]}function z(e){return n("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&n(y,{name:e.icon,size:12}),e.children]})}var jc={A:{tone:"\
good",icon:"check",words:"as expected"},B:{tone:"bad",icon:"cross",words:"wrong page"},C:{tone:"warn",icon:"minus",words:"no change"}};function zr({verdict:e,short:t}){
let o=e?jc[e]:void 0;return o?n(z,{tone:o.tone,icon:o.icon,title:`${e}: ${o.words}`,children:[t?e:o.words,t&&n("span",{class:"unseen",children:[": ",o.words]})]}):
n(z,{tone:"quiet",children:e||"no verdict"})}var Kc={open:{tone:"accent",icon:"play",words:"open"},paused:{tone:"warn",icon:"pause",words:"paused"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"},ended:{
tone:"good",icon:"check",words:"ended"}};function Bn({phase:e,failed:t}){let o=e==="ended"&&t>0?{tone:"bad",icon:"cross",words:"has failures"}:Kc[e];return n(z,
{tone:o.tone,icon:o.icon,children:o.words})}function Ut(e){return e.replaceAll("_"," ")}function Ge(e){return e.ending!=="finished"?Ut(e.ending??"failed"):e.verified==
null?"undecided":"check failed"}function Gc(e){let t=e.phone==null?void 0:xt(e.phone)?.value;return t===void 0||t.task!==e.id?null:t.question?{tone:"warn",icon:"\
hand",words:"asks for a person"}:t.is_paused?{tone:"warn",icon:"pause",words:"paused"}:t.taken_over_by==null?null:{tone:"warn",icon:"hand",words:"taken over"}}function Dr(e){
switch(e.phase){case"waiting":return{tone:"quiet",icon:"clock",words:"waiting"};case"paused":return{tone:"warn",icon:"pause",words:"paused"};case"running":return Gc(
e)??{tone:"accent",icon:"play",words:"running"};case"ended":return e.is_done?{tone:"good",icon:"check",words:"done"}:e.ending==="cancelled"?{tone:"quiet",icon:"\
stop",words:"cancelled"}:{tone:"bad",icon:"cross",words:Ge(e)}}}function Hr(e){return Dr(e).words}function Nn({task:e}){let t=Dr(e);return n(z,{tone:t.tone,icon:t.
icon,children:t.words})}function St(e){return e.phase==="ended"&&!e.is_done&&e.ending!=="cancelled"}var jo=6,Yc=[{href:b.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:b.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:b.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:b.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:b.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:b.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function Ur(e,t,o){let a=e.
trim().toLowerCase(),r=Yc.filter(s=>Qc(a,s.name,s.about));if(a==="")return o(r);let i=Ln(Ve(),a).slice(0,jo).map(s=>{let l=s.labels?.model??"";return{href:b.phone(
s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});o([...i,...r]);try{let[s,l]=await Promise.all([Zc(a,t),ed(a,t)]);t.aborted||o([...i,...s,...l,
...r])}catch{}}function Qc(e,...t){return t.some(o=>o.toLowerCase().includes(e))}async function Zc(e,t){return(await A("/batches",{text:e,limit:jo},t)).items.map(
a=>({href:b.batch(a.id),icon:"layers",name:a.name||a.id,about:`${a.id} \xB7 ${a.owner} \xB7 ${a.phase}`}))}async function ed(e,t){return(await A("/tasks",{text:e,
newest_first:!0,limit:jo},t)).items.map(td)}function td(e){return{href:b.task(e.id),icon:"list",name:e.goal,about:`${e.id} \xB7 ${Hr(e)}`}}var Ko=M(!1),nd=120,od=[{key:"1",does:"Fleet",run:()=>se(["fleet"])},{key:"2",does:"Work",run:()=>se(["work"])},{key:"3",does:"Attention",run:()=>se(["attention"])},
{key:"4",does:"Health",run:()=>se(["health"])},{key:"n",does:"submit a batch",run:()=>se(["work","submit"])}];function Vt(){Ko.value=!0}function Vr(){let e=Oe.value.
path[0]==="episodes";return je("Everywhere",[{key:"/",does:"search",run:Vt},...e?[]:od]),w(()=>{let t=o=>{o.key.toLowerCase()!=="k"||!(o.ctrlKey||o.metaKey)||(o.
preventDefault(),Vt())};return addEventListener("keydown",t),()=>removeEventListener("keydown",t)},[]),Ko.value?n(ad,{}):null}function ad(){let e=F(null),t=E(""),
o=E([]),a=E(0);re(()=>e.current?.showModal(),[]),w(()=>{let l=new AbortController,c=setTimeout(()=>{Ur(t.value,l.signal,u=>{o.value=u,a.value=0})},nd);return()=>{
clearTimeout(c),l.abort()}},[t.value]);let r=()=>{Ko.value=!1},i=l=>{let c=o.value.length;if(l.key==="ArrowDown"&&c>0)a.value=(a.value+1)%c;else if(l.key==="Arr\
owUp"&&c>0)a.value=(a.value+c-1)%c;else if(l.key==="Enter"){let u=o.value[a.value];if(u===void 0)return;location.hash=u.href,r()}else return;l.preventDefault()},
s=o.value[a.value];return n("dialog",{ref:e,class:"palette","aria-label":"Search",onClose:r,onClick:l=>{l.target===e.current&&r()},children:[n("div",{class:"pal\
ette-field",children:[n(y,{name:"search"}),n("input",{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","\
aria-expanded":"true","aria-controls":"palette-found","aria-activedescendant":s?`palette-${a.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"\
off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.value=l.currentTarget.value,onKeyDown:i}),n("kbd",{children:"Esc"})]}),n("ul",{class:"palette-found",
id:"palette-found",role:"listbox","aria-label":"What was found",children:o.value.map((l,c)=>n("li",{id:`palette-${c}`,role:"option","aria-selected":c===a.value,
class:"palette-entry",onPointerMove:()=>a.value=c,onClick:()=>{location.hash=l.href,r()},children:[n(y,{name:l.icon}),n("span",{class:"clip",children:l.name}),n(
"span",{class:"palette-about clip",children:l.about})]},l.href))}),t.value!==""&&o.value.length===0&&n("p",{class:"palette-nothing quiet",children:"Nothing has \
these letters. Tasks are searched by goal, id, phone and reason; batches by name, id, owner and tag."})]})}function kt(){return n("span",{class:"wordmark",children:[n("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[n("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),n("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),n("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var rd=[{section:"fleet",name:"Fleet",icon:"phone",href:b.fleet()},{section:"work",name:"Work",icon:"layers",href:b.work()},{section:"attention",name:"Attention",
icon:"warning",href:b.attention()},{section:"health",name:"Health",icon:"chart",href:b.health()}];function jr(){let e=Nr(Oe.value.path);return n("header",{class:"\
navigation",children:[n("a",{class:"navigation-home",href:b.fleet(),"aria-label":"Manyhands, the fleet",children:n(kt,{})}),n("button",{type:"button",class:"nav\
igation-search",onClick:Vt,children:[n(y,{name:"search"}),n("span",{children:"Search"}),n("kbd",{"aria-hidden":"true",children:"/"})]}),n("nav",{class:"navigati\
on-list","aria-label":"Sections",children:rd.map(t=>n("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[n(y,{name:t.
icon}),n("span",{class:"navigation-name",children:t.name}),n(id,{section:t.section})]},t.section))}),n("div",{class:"navigation-end",children:[n(x,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:Vt}),n(Cr,{}),n(Br,{})]})]})}function id({section:e}){if(e==="attention"){let o=Ke.value?.open??0;
return o===0?null:n("span",{class:"navigation-count navigation-count-bad",children:[k(o),n("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")
return null;let t=Ve();return t.length===0?null:n("span",{class:"navigation-count",children:[k(t.length),n("span",{class:"unseen",children:" phones"})]})}function D(e){return n("div",{class:"empty",children:[e.icon&&n(y,{name:e.icon,size:24}),n("p",{class:"empty-title",children:e.title}),e.children&&n("div",{class:"\
empty-text",children:e.children}),e.action]})}function j(e){return n("header",{class:"page-head",children:[n("div",{class:"page-title",children:[e.crumbs&&n("nav",{class:"crumbs","aria-label":"Where this pa\
ge is",children:e.crumbs.map(t=>n("span",{class:"crumb",children:[n("a",{href:t.href,class:"clip",children:t.name}),n(y,{name:"right",size:12})]},t.href))}),n("\
h1",{class:"said",children:e.title}),e.about&&n("p",{class:"page-about quiet",children:e.about})]}),e.actions&&n("div",{class:"page-actions",children:e.actions})]})}function B({needs:e,owner:t,...o}){let a=oe(e,t);return a===null?n(x,{...o}):n(x,{...o,"aria-disabled":"true",disabled:!0,title:a})}function Ee({needs:e,owner:t,
what:o}){let a=oe(e,t);return a===null?null:n("p",{class:"role-note quiet",children:[n(y,{name:"info",size:14})," ",n("span",{children:[o,": ",a]})]})}var Kr=6;function Gr({approval:e}){let t=J(async s=>{try{return(await q("POST",`/approvals/${P(e.id)}:${s}`)).filter(u=>u.problem).map(u=>`${u.serial}: ${u.problem}`).
join("; ")}finally{_e(0)}}),a=new Set(e.episodes.map(s=>s.owner)).size===1?e.episodes[0]?.owner:void 0,r=t.isRunning.value,i=e.episodes.length-Kr;return n("arti\
cle",{class:"approval panel","aria-label":e.question,children:[n(sd,{approval:e}),n("div",{class:"approval-words",children:[n("h3",{class:"said",children:e.question}),
n("p",{class:"quiet said",children:e.goal}),n("p",{children:[L(e.episodes.length,"phone"),":"," ",e.episodes.slice(0,Kr).map((s,l)=>n(f,{children:[l>0&&", ",n("\
a",{class:"mono said",href:b.episode(s.episode),children:s.serial})]})),i>0&&` and ${i} more`]}),n("div",{class:"approval-actions",children:[n(B,{needs:"approve",
disabled:r,kind:"primary",icon:"check",onClick:()=>{t.run("allow")},children:e.episodes.length>1?`Allow on ${L(e.episodes.length,"phone")}`:"Allow"}),n(B,{needs:a===
void 0?"operate":"submit",...a===void 0?{}:{owner:a},disabled:r,kind:"quiet",icon:"cross",onClick:()=>{t.run("decline")},children:"Decline"})]}),t.problem.value&&
n(C,{problem:t.problem.value}),t.result.value&&n(ne,{tone:"quiet",children:t.result.value})]})]})}function sd({approval:e}){let t=e.episodes.find(s=>s.consent);
if(!t?.consent)return null;let{screen:o,x:a,y:r}=t.consent,i=fe(`/episodes/${P(t.episode)}/screens/${P(o)}`,{width:540});return n("a",{class:"approval-picture",
href:b.episode(t.episode),"aria-label":`The screen of ${t.serial}`,children:[n("img",{src:i,alt:"",loading:"lazy"}),a!=null&&r!=null&&n("span",{class:"approval-\
touch",style:{left:`${100*a}%`,top:`${100*r}%`}})]})}function _t({since:e}){let t=rt(()=>Go(Se.value-e));return n("span",{class:"num",children:t})}function Pe({at:e}){let t=rt(()=>ld(Se.value-e));return n("time",{
dateTime:new Date(e*1e3).toISOString(),title:new Date(e*1e3).toLocaleString("en-GB"),children:t})}function Go(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:
W(e)}function ld(e){return e<5?"just now":`${st(e)} ago`}function st(e){let t=[[86400,"d"],[3600,"h"],[60,"min"]];for(let[o,a]of t)if(e>=o)return`${Math.floor(e/
o)}\xA0${a}`;return`${Math.max(1,Math.floor(e))}\xA0s`}function cd(){return oe("submit")!==null?n(Ee,{needs:"submit",what:"Retrying and dismissing"}):n("p",{class:"role-note quiet",children:[n(y,{name:"info",size:14}),
" ",n("span",{children:"These tasks belong to others. To retry or dismiss them, you need the role operate."})]})}function Yr({cause:e,isLeast:t=!1}){let o=E(!1),
a=J(async()=>{let d=await q("POST",`/attention/${P(e.id)}:retry`);return _e(),`${L(d.length,"task")} submitted again.`}),r=J(async()=>{await q("POST",`/attentio\
n/${P(e.id)}:dismiss`),_e(0)}),i=a.isRunning.value||r.isRunning.value,s=a.problem.value??r.problem.value,l=e.episodes[0],c=e.changeable<e.count,u=c?` your ${k(e.
changeable)}`:e.count>1?` all ${k(e.count)}`:"";return n("article",{class:"cause panel",children:[n("header",{class:"cause-head",children:[n("span",{class:"caus\
e-count","aria-label":`${t?"at least ":""}${L(e.count,"task")}`,children:[k(e.count),t&&"+","\xD7"]}),n("div",{class:"cause-words",children:[n("h3",{class:"said",
children:e.reason||Ge(e)}),n("p",{class:"cause-about",children:[n(z,{tone:"bad",icon:"cross",children:Ge(e)}),e.app&&n("span",{class:"said",children:["in ",e.app]}),
e.action&&n("span",{class:"said",children:["at ",e.action]}),n("span",{children:["last ",n(Pe,{at:e.last_at})]}),e.count>1&&n("span",{children:["first ",n(Pe,{at:e.
first_at})]})]})]}),n("div",{class:"cause-actions",children:[l&&n("a",{class:"button button-primary",href:b.episode(l),children:[n(y,{name:"play"})," Open the f\
ailure"]}),e.changeable>0&&n(f,{children:[n(x,{icon:"retry",disabled:i,onClick:()=>{a.run()},children:["Retry",u]}),n(x,{kind:"quiet",icon:"check",disabled:i,onClick:()=>{
r.run()},children:["Dismiss",c&&u]})]})]})]}),e.changeable===0&&n(cd,{}),s&&n(C,{problem:s}),a.result.value&&n(ne,{children:a.result.value}),e.tasks.length>1&&n(
x,{kind:"quiet",icon:o.value?"up":"down","aria-expanded":o.value,onClick:()=>o.value=!o.value,children:e.tasks.length<e.count?`The last ${e.tasks.length} tasks`:
`All ${e.tasks.length} tasks`}),(o.value||e.tasks.length===1)&&n("ul",{class:"cause-tasks",children:e.tasks.map((d,m)=>{let h=e.episodes[m];return n("li",{children:n(
"a",{class:"mono",href:h?b.episode(h):b.task(d),children:d})},d)})})]})}function Fn({episode:e,question:t,consent:o,owner:a,onChange:r}){let i=`/episodes/${P(e)}`,s=J(async(h,p=null)=>{try{await q("POST",`${i}:answer`,p?{text:h,allows:p}:
{text:h})}finally{r()}}),l=J(async()=>{await q("POST",`${i}:take-over`),r(),se(["episodes",e])}),c=s.isRunning.value||l.isRunning.value,d={needs:a===void 0?"ope\
rate":"submit",...a===void 0?{}:{owner:a},disabled:c},m=s.problem.value??l.problem.value;return n("form",{class:"question",onSubmit:h=>{h.preventDefault();let p=String(
new FormData(h.currentTarget).get("answer")??"").trim();p&&s.run(p)},children:[n("p",{class:"question-text said",children:t}),o!==void 0?n(B,{needs:"approve",disabled:c,
kind:"primary",icon:"check",onClick:()=>{s.run(null,o)},children:"Allow"}):n(f,{children:[n("input",{class:"input",name:"answer","aria-label":"Your answer",required:!0,
maxLength:4e3,autocomplete:"off",placeholder:"Your answer; type no secret"}),n(B,{...d,type:"submit",kind:"primary",icon:"check",children:"Answer"})]}),n(B,{...d,
icon:"hand",onClick:()=>{l.run()},children:"Take over"}),n(B,{...d,kind:"quiet",icon:"cross",onClick:()=>{s.run(null)},children:"Decline"}),m&&n(C,{problem:m})]})}function Et(e,t){let o=t.join(" "),[a,r]=_({key:o,urls:[]}),[i,s]=_(null),l=a.key===o?a.urls:[],c=t.find(u=>!l.includes(u))??null;return w(()=>{if(s(null),c!==null||
!t.length)return;let u=!0;return zt(e,()=>Promise.any(t.map(Qr))).then(()=>u&&r({key:o,urls:[]}),()=>u&&s(o)),()=>{u=!1}},[o,c,e]),{url:c,isMissing:!t.length||i===
o,onError:()=>c!==null&&r({key:o,urls:[...l,c]})}}async function lt(e,t){try{return await zt(e,()=>Qr(t))}catch{return null}}function Qr(e){return new Promise((t,o)=>{
let a=new Image;a.onload=()=>t(a),a.onerror=()=>o(new Error(`${e} could not be loaded`)),a.src=e})}function On(e){let{serial:t,everyMs:o}=e,a=E(null),r=E(!1);return w(()=>{let i,s=!1,l=async c=>{let u=document.hidden?null:await lt(void 0,fe(`/phones/${P(t)}/p\
icture`,{number:c}));s||(u!==null&&(a.value=u.src),r.value=u===null&&!document.hidden,i=setTimeout(()=>{l(c+1)},r.value?5*o:o))};return l(0),()=>{s=!0,clearTimeout(
i)}},[t,o]),a.value!==null&&!r.value?n("img",{src:a.value,alt:e.label,draggable:!1}):n("span",{class:"faint live-none",children:[n(y,{name:"phone",size:e.size}),
e.label&&(r.value?"It shows no screen now":"Asking for its screen\u2026")]})}var dd=15,ud=42;function Zr({percent:e,celsius:t}){if(e===null)return null;let o=t!==null&&t>=ud,a=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${be(t)}\xA0\xB0C`}`;
return n("span",{class:`battery${e<=dd||o?" battery-bad":""}`,title:a,children:[n(y,{name:o?"warning":"bolt",size:11,label:a}),n("span",{"aria-hidden":"true",children:`${Math.
round(e)}\xA0%`})]})}var pd=new Set(["capture","perceive","verify","plan","decide","act","note"]);function ei(e){let{stages:t,since:o,most:a=4}=e;return n("span",{class:"running-sta\
ges",children:[t.slice(0,a).map((r,i)=>n("span",{class:"running-stage",children:[n("span",{class:`stage-dot stage-${pd.has(r)?r:"other"}`}),n("span",{class:"cli\
p",children:r}),i===0&&o!==null&&n(_t,{since:o})]},r)),t.length>a&&n("span",{class:"running-stage faint",children:["+",t.length-a]})]})}var xe=M(null);function ti(e){let t=new Set(xe.value);t.delete(e)||t.add(e),xe.value=t}function ni({chosen:e}){let t=E(""),o=J(async(i,s)=>{let l=[],c=[...xe.value??
[]];for(let d of c)try{let m=i==="aside"?{reason:t.value.trim()}:void 0;Mn(await q("POST",`/phones/${P(d)}:${i}`,m))}catch(m){l.push(`${d}: ${G(m).detail}`)}return[
`${L(c.length-l.length,"phone")} ${s}.`,...l].join(`
`)});if(xe.value===null)return null;let a=xe.value.size,r={needs:"operate",disabled:a===0||o.isRunning.value};return n(f,{children:[n("form",{class:"selection p\
anel",onSubmit:i=>{i.preventDefault(),t.value.trim()&&o.run("aside","set aside")},children:[n("strong",{children:[L(a,"phone")," selected"]}),n(x,{kind:"quiet",
onClick:()=>xe.value=new Set(e),children:["Select all ",e.length]}),n("input",{class:"input","aria-label":"Why they are set aside",placeholder:"Why: the screens\
 are cracked",maxLength:500,value:t.value,onInput:i=>t.value=i.currentTarget.value}),n(B,{...r,type:"submit",icon:"pause",disabled:r.disabled||!t.value.trim(),children:"\
Set aside"}),n(B,{...r,icon:"play",onClick:()=>{o.run("release","released")},children:"Release"})]}),o.result.value&&n(ne,{tone:o.result.value.includes(`
`)?"warn":"good",children:n("p",{class:"said",children:o.result.value})})]})}var qe={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},md=5e3,oi=8;function ri({serial:e,size:t}){let o=xt(e)?.value;if(o===void 0)return null;
let a=`tile tile-${t} tile-${o.phase}`,r=xe.value;return r!==null?n("button",{type:"button",class:`${a} tile-button`,"aria-pressed":r.has(e),onClick:()=>ti(e),children:n(
ai,{phone:o,size:t})}):n("a",{class:a,href:b.phone(e),children:n(ai,{phone:o,size:t})})}function In(e){return e.labels?.name||e.serial}function ai({phone:e,size:t}){
let o=In(e);return n(f,{children:[n(hd,{phone:e,size:t}),n("div",{class:"tile-body",children:[n("div",{class:"tile-head",children:[n(gd,{phase:e.phase}),t==="s"&&
o===e.serial?n(fd,{serial:o}):n("span",{class:`tile-serial clip${o===e.serial?" mono":" tile-name"}`,title:e.serial,children:o}),t!=="s"&&n(Zr,{percent:e.battery??
null,celsius:e.celsius??null})]}),t==="s"?n(vd,{phone:e}):n(yd,{phone:e,isLarge:t==="l"})]})]})}function fd({serial:e}){let t=[...e];return n("span",{class:"til\
e-serial tile-serial-short mono",title:e,children:[n("bdi",{class:"clip",children:t.slice(0,-oi).join("")}),n("bdi",{children:t.slice(-oi).join("")})]})}function hd({
phone:e,size:t}){let o=e.phase==="free"||e.phase==="reserved";return n("div",{class:"tile-screen",children:[o&&T("idle")?n(On,{serial:e.serial,everyMs:md,label:"",
size:t==="s"?16:20}):e.thumbnail?n("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):n(y,{name:"phone",size:20}),e.is_paused&&
n("span",{class:"tile-taken",title:`${e.held_by} has paused it`,children:n(y,{name:"pause",size:12,label:`${e.held_by} has paused it`})}),e.taken_over_by&&n("sp\
an",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:n(y,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function gd({
phase:e}){return n("span",{class:`dot dot-${e}`,title:qe[e],children:n("span",{class:"unseen",children:qe[e]})})}function vd({phone:e}){return e.phase==="busy"?
n(Jn,{phone:e,most:1}):n("span",{class:"tile-line clip",children:qe[e.phase]})}function Jn({phone:e,most:t}){return e.question?n("span",{class:"tile-line clip",
children:["asks: ",e.question]}):e.is_paused?n("span",{class:"tile-line clip",children:["paused by ",e.held_by]}):e.taken_over_by?n("span",{class:"tile-line cli\
p",children:[e.taken_over_by," has the phone"]}):n(ei,{stages:e.stages??[],since:e.stage_since??null,most:t})}function yd({phone:e,isLarge:t}){let o=e.labels?.model;
return e.phase!=="busy"?n(f,{children:[n("span",{class:"tile-goal tile-idle",children:qe[e.phase]}),e.reason&&n("span",{class:"tile-doing said",children:e.reason}),
n("span",{class:"tile-foot clip",children:o})]}):n(f,{children:[n("span",{class:"tile-goal said",children:e.goal||e.task}),n("span",{class:"tile-doing said",children:e.
subgoal||e.doing}),n(Jn,{phone:e,most:t?4:2}),n("span",{class:"tile-foot clip",children:[e.step!=null&&n(f,{children:["step ",e.step," \xB7 "]}),e.owner&&n(f,{children:[
e.owner," \xB7 "]}),o]})]})}function ii({phone:e}){let t=J(async()=>{await q("POST",`/phones/${P(e.serial)}:release`),_e(0)});return n("li",{class:"away",children:[n(z,{tone:e.phase==="awa\
y"?"bad":"warn",icon:e.phase==="away"?"cross":"pause",children:qe[e.phase]}),n("a",{class:"away-name mono clip",href:b.phone(e.serial),children:e.serial}),n("sp\
an",{class:"away-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(Pe,{at:e.since})}),e.phase==="aside"&&n(B,{needs:"operate",icon:"\
play",disabled:t.isRunning.value,onClick:()=>{t.run()},children:"Release"}),t.problem.value&&n(C,{problem:t.problem.value})]})}function si({held:e}){let t=J(async()=>{
await q("POST",`/episodes/${P(e.episode)}:${e.is_paused?"resume":"hand-back"}`),_e(0)});return n("li",{class:"away",children:[n(z,{tone:e.is_paused?"warn":"acce\
nt",icon:e.is_paused?"pause":"hand",children:e.is_paused?"paused":"taken over"}),n("a",{class:"away-name clip",href:b.episode(e.episode),children:e.goal||e.task}),
n("span",{class:"away-reason",children:["by ",n("span",{class:"said",children:e.by})," on"," ",n("a",{class:"mono said",href:b.phone(e.serial),children:e.serial})]}),
e.since!=null&&n("span",{class:"quiet",children:n(Pe,{at:e.since})}),n(B,{needs:e.is_paused||e.by===he()?"submit":"operate",owner:e.owner,icon:"play",disabled:t.
isRunning.value,onClick:()=>{t.run()},children:e.is_paused?"Resume":"Hand back"}),t.problem.value&&n(C,{problem:t.problem.value})]})}function li({held:e}){return n(
"li",{class:"away",children:[n(z,{tone:"warn",icon:"hand",children:"asks"}),n("a",{class:"away-name clip",href:b.episode(e.episode),children:e.goal||e.task}),n(
"span",{class:"away-reason",children:["on"," ",n("a",{class:"mono said",href:b.phone(e.serial),children:e.serial})]}),e.since!=null&&n("span",{class:"quiet",children:n(
Pe,{at:e.since})}),n(Fn,{episode:e.episode,question:e.question??"",consent:e.consent?.id,owner:e.owner,onChange:()=>_e(0)})]})}function ci({model:e}){return n("\
li",{class:"away",children:[n(z,{tone:"bad",icon:"cross",children:"away"}),n("a",{class:"away-name clip",href:b.health(),children:e.what}),n("span",{class:"away\
-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(Pe,{at:e.since})})]})}function di(){let e=Ke.value,t=(e?.held??[]).filter(a=>a.question&&!a.consent),o=(e?.held??[]).filter(a=>!a.question);return n(f,{children:[n(j,{title:"Attentio\
n",about:e&&e.open>0?`${L(e.open,"thing")} for a person, the newest first`:void 0}),Ht.value&&n(C,{problem:Ht.value}),e!==null&&e.open===0&&n(D,{icon:"check",title:"\
Nothing needs a person",children:["Failed tasks, phones that get no work, models that do not answer and paused episodes appear here. Meanwhile, the"," ",n("a",{
href:b.fleet(),children:"fleet"})," and the ",n("a",{href:b.work(),children:"queue"})," show what goes on."]}),e!==null&&(e.approvals??[]).length>0&&n("section",
{class:"attention-section","aria-labelledby":"approvals-title",children:[n("h2",{id:"approvals-title",children:"Actions that wait for a word"}),(e.approvals??[]).
map(a=>n(Gr,{approval:a},a.id))]}),t.length>0&&n("section",{class:"attention-section","aria-labelledby":"questions-title",children:[n("h2",{id:"questions-title",
children:"Agents that ask for a person"}),n("ul",{class:"attention-list panel",children:t.map(a=>n(li,{held:a},a.episode))})]}),e!==null&&e.models.length>0&&n("\
section",{class:"attention-section","aria-labelledby":"models-title",children:[n("h2",{id:"models-title",children:"Models away"}),n("ul",{class:"attention-list \
panel",children:e.models.map(a=>n(ci,{model:a},a.what))})]}),o.length>0&&n("section",{class:"attention-section","aria-labelledby":"held-title",children:[n("h2",
{id:"held-title",children:"Episodes that people hold"}),n("ul",{class:"attention-list panel",children:o.map(a=>n(si,{held:a},a.episode))})]}),e!==null&&e.causes.
length>0&&n("section",{class:"attention-section","aria-labelledby":"causes-title",children:[n("h2",{id:"causes-title",children:"Failed tasks, by cause"}),e.has_more&&
n(ne,{tone:"quiet",children:["Only the newest ",k(e.causes.reduce((a,r)=>a+r.count,0))," failed tasks are counted. Older ones appear once some of these are retr\
ied or dismissed."]}),e.causes.map(a=>n(Yr,{cause:a,isLeast:e.has_more},a.id))]}),e!==null&&e.phones.length>0&&n("section",{class:"attention-section","aria-labe\
lledby":"phones-title",children:[n("h2",{id:"phones-title",children:"Phones set aside or away"}),n("ul",{class:"attention-list panel",children:e.phones.map(a=>n(
ii,{phone:a},a.serial))})]})]})}var bd=1e3,xd=3e3,wd=[0,429,502,503,504],Yo=class{value=M(null);problem=M(null);settings;#t=new AbortController;#e;#n=!1;#a=!1;#o=-1/0;#i=!1;constructor(t){this.
settings=t}reload=()=>this.#r(0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#i=!1;let t=Me({onEvent:o=>{this.settings.isChangedBy?.(o)&&this.
reload()},onOpen:this.reload});return this.#s(),()=>{t(),this.#i=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#r(t){if(this.#i)return;if(this.#n){this.#a=
!0;return}let o=this.#o+(this.settings.everyMs??bd)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#s()},Math.max(
t,o,0)))}async#s(){this.#e=void 0,this.#n=!0,this.#a=!1,this.#o=performance.now(),this.#t=new AbortController;let t=this.#t,o=this.settings.pollMs;try{let a=await this.
settings.load(t.signal);t.signal.aborted||this.put(a)}catch(a){if(t.signal.aborted)return;let r=G(a);this.problem.value=r,wd.includes(r.status)&&(o=xd)}finally{
t===this.#t&&(this.#n=!1)}t.signal.aborted||this.#i||(this.#a?this.#r(0):o!==void 0&&this.#r(o))}};function Q(e,t){let o=H(()=>new Yo(e),t),a=F(e);return a.current=
e,o.settings=e,w(()=>o.open(),[o]),o}var Sd=1600;function jt(e){let[t,o]=_("");w(()=>{if(!t)return;let r=setTimeout(()=>o(""),Sd);return()=>clearTimeout(r)},[t]);let a=async()=>o(await kd(e.text())?
"copied":"failed");return n(f,{children:[n(x,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{a()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),n("span",{class:"unseen",role:"status",children:t})]})}async function kd(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let o=document.execCommand("copy");return t.remove(),o}}function Ye({text:e}){return n("div",{class:"copy-line",children:[n("code",{class:"said",children:e}),n(jt,{text:()=>e,label:"Copy the command"})]})}function qn(e){let t={value:"",name:"All",count:e.all};return n("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(o=>n("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===o.value,onClick:()=>e.onChoose(o.value),children:[o.name,o.count!==null&&n("span",{class:"chip-count",children:k(
o.count)})]},o.value))})}function Pt(e){return n("label",{class:"search-box",children:[n(y,{name:"search"}),n("span",{class:"unseen",children:e.label}),n("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function Tt(e){return n("div",{class:"choice-bar",role:"group","aria-label":e.label,children:e.choices.map(t=>n("button",{type:"button",class:"choice-part",title:t.
words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:[t.name,t.words&&n("span",{class:"unseen",children:[": ",t.words]})]},t.value))})}var ui=400;function pi({groups:e,size:t}){let o=F(null),a=E(0),r=E("0 0"),i=H(()=>Xr(e,t,a.value||1100),[e,t,a.value]),s=()=>{let u=o.current?.getBoundingClientRect().
top??0,[d,m]=Wr(i.rows,-u-ui,innerHeight-u+ui);r.value=`${d} ${m}`};re(()=>{let u=o.current;if(u===null)return;a.value=u.clientWidth;let d=new ResizeObserver(()=>a.
value=u.clientWidth);return d.observe(u),()=>d.disconnect()},[]),re(s,[i]),w(()=>{let u=0,d=()=>{u||=requestAnimationFrame(()=>{u=0,s()})};return addEventListener(
"scroll",d,{passive:!0}),addEventListener("resize",d),()=>{removeEventListener("scroll",d),removeEventListener("resize",d),cancelAnimationFrame(u)}},[i]);let[l=0,
c=0]=r.value.split(" ").map(Number);return n("div",{ref:o,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,c).map(u=>n(_d,{row:u,columns:i.
columns,size:t},u.key))})}function _d({row:e,columns:t,size:o}){let a={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?n("h2",
{class:"wall-header",style:a,children:[n("span",{class:"clip",children:e.group.name}),n("span",{class:"faint",children:L(e.group.phones.length,"phone")})]}):n("\
div",{class:"wall-row",style:{...a,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(r=>n(ri,{serial:r,size:o},r))})}var Ed=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function mi(){
w(()=>()=>{xe.value=null},[]);let e=Q({load:p=>A("/status",{},p),isChangedBy:p=>/^(phone|model)\./.test(p.kind),pollMs:5e3},[]),t=T("phase"),o=T("q"),a=T("group"),
r=["s","m","l"].includes(T("size"))?T("size"):"m",i=rt(()=>{bt.value;let p=Ve(),v=Ln(p,T("q")),g=T("phase")?v.filter(S=>S.phase===T("phase")):v;return{all:p.length,
counts:Ir(v),found:v.length,chosen:g.map(S=>S.serial),labels:Jr(p),groups:qr(g,T("group"))}}),{all:s,counts:l,found:c,chosen:u,labels:d,groups:m}=i.value,h=e.value.
value?.waiting_for??[];return n(f,{children:[n(j,{title:"Fleet",about:n(Pd,{status:e.value.value})}),h.length>0&&n(ne,{tone:"warn",children:[n("p",{children:"Ta\
sks wait for:"}),n("ul",{class:"note-list",children:h.map(p=>n("li",{class:"said",children:p},p))})]}),s===0?n(Td,{isReady:Cn.value&&(e.value.value?.is_ready??!1)}):
n(f,{children:[n("div",{class:"toolbar",children:[n(Pt,{value:o,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:p=>I({q:p})}),n(qn,{label:"\
Phases",chosen:t,all:c,choices:Or.map(p=>({value:p.phase,name:p.name,count:l[p.phase]})),onChoose:p=>I({phase:p})}),n("div",{class:"toolbar-end",children:[n(x,{
pressed:T("idle")!=="",icon:"screen",title:"Show the screens of free phones, every five seconds",onClick:()=>I({idle:T("idle")?"":1}),children:"Free screens"}),
n(x,{pressed:xe.value!==null,onClick:()=>xe.value=xe.value===null?new Set:null,children:"Select"}),n("label",{class:"toolbar-select",children:[n("span",{class:"\
quiet",children:"Group by"}),n("select",{class:"input",value:a,onChange:p=>I({group:p.currentTarget.value}),children:[n("option",{value:"",children:"nothing"}),
d.map(p=>n("option",{value:p,children:p},p))]})]}),n(Tt,{label:"Size",value:r,choices:Ed,onChoose:p=>I({size:p==="m"?"":p})})]})]}),n(ni,{chosen:u}),u.length===
0?n(D,{icon:"search",title:"No phone is chosen by these filters",children:n("button",{type:"button",class:"link-button",onClick:()=>I({q:"",phase:""}),children:[
"Show all ",k(s)," phones"]})}):n(pi,{groups:m,size:r})]})]})}function Pd({status:e}){return e===null?null:n(f,{children:[k(e.running)," running \xB7 ",k(e.waiting),
" waiting \xB7 ",k(e.ended)," ended",e.is_ready&&e.running===0&&e.waiting===0&&n(f,{children:[" \xB7 ",n("a",{href:b.submit(),children:"Submit a batch"})]})]})}
function Td({isReady:e}){return e?n(D,{icon:"phone",title:"The fleet has no phones",action:n(Ye,{text:"manyhands attach SERIAL"}),children:["Attach a phone that\
 adb lists, or start the service with phones, such as ",n("code",{children:"--phones virtual:2"})," for two virtual ones. It appears here at once."]}):n(D,{icon:"\
clock",title:"The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This page shows them as they come."})}function fi(e){let t="",o=!1;for(let a of e)t+=a?`${o?"L":"M"}${a[0].toFixed(1)} ${a[1].toFixed(1)}`:"",o=a!==null;return t}function hi(e){if(!(e>0))return[0,1];
let t=e/3,o=10**Math.floor(Math.log10(t)),a=o*([1,2,2.5,5,10].find(i=>i*o>=t)??10),r=Math.ceil(e/a-1e-9);return Array.from({length:r+1},(i,s)=>Number((s*a).toPrecision(
12)))}var ct=52,gi=20;function vi(e){let{series:t,height:o=140,formatValue:a,formatAt:r}=e,i=F(null),[s,l]=_(400),[c,u]=_(null);re(()=>{let $=new ResizeObserver(([R])=>R&&
l(Math.max(160,R.contentRect.width)));return i.current&&$.observe(i.current),()=>$.disconnect()},[]);let d=[...new Set(t.flatMap($=>$.points.map(([R])=>R)))].sort(
($,R)=>$-R),m=d[0]??0,h=d.at(-1)??1,p=hi(Math.max(0,...t.flatMap($=>$.points.map(([,R])=>R??0)))),v=p.at(-1)||1,g=$=>ct+($-m)/(h-m||1)*(s-ct-4),S=$=>6+(1-$/v)*(o-
gi-10),N=$=>{let R=m+($-ct)/(s-ct-4)*(h-m),ae=0;d.forEach((Ce,Ze)=>{Math.abs(Ce-R)<Math.abs((d[ae]??0)-R)&&(ae=Ze)}),u(d.length?ae:null)},O=$=>{let R=$.key==="A\
rrowRight"?1:$.key==="ArrowLeft"?-1:0;!R||!d.length||($.preventDefault(),$.stopPropagation(),u(Math.min(d.length-1,Math.max(0,(c??d.length)+R))))},U=c===null?void 0:
d[c],V=U??d.at(-1);return n("figure",{class:"plot",ref:i,children:[n("figcaption",{class:"plot-legend",children:[t.map($=>{let R=$.points.find(([ae])=>ae===V)?.[1];
return n("span",{children:[n("i",{style:{background:`var(${$.colour})`}}),$.name," ",n("b",{children:R==null?ge:a(R)})]},$.name)}),U!==void 0&&n("span",{class:"\
faint plot-at",children:r(U)})]}),n("svg",{width:s,height:o,role:"img","aria-label":e.label,tabIndex:0,onPointerMove:$=>N($.offsetX),onPointerLeave:()=>u(null),
onKeyDown:O,onBlur:()=>u(null),children:[p.map($=>n("g",{children:[n("line",{class:"plot-grid",x1:ct,x2:s-4,y1:S($),y2:S($)}),n("text",{class:"plot-tick",x:ct-8,
y:S($)+4,"text-anchor":"end",children:a($)})]},$)),d.length>1&&n(f,{children:[n("text",{class:"plot-tick",x:ct,y:o-4,children:r(m)}),n("text",{class:"plot-tick",
x:s-4,y:o-4,"text-anchor":"end",children:r(h)})]}),t.map($=>n("path",{class:"plot-line",style:{stroke:`var(${$.colour})`},d:fi($.points.map(([R,ae])=>ae===null?
null:[g(R),S(ae)]))},$.name)),U!==void 0&&n("line",{class:"plot-cursor",x1:g(U),x2:g(U),y1:4,y2:o-gi})]})]})}function Re({facts:e}){return n("dl",{class:"facts",children:e.filter(([,t])=>t!=null&&t!==""&&t!==!1).map(([t,o])=>n("div",{class:"fact",children:[n("dt",{children:t}),
n("dd",{children:o})]},t))})}var yi=["--accent","--stage-perceive","--stage-act","--stage-verify","--stage-note","--quiet-fill"];function Xn(e,t,o,a){return[...new Set(e.flatMap(i=>t(i).map(
o)))].sort().map((i,s)=>({name:i,colour:yi[s%yi.length]??"--accent",points:e.map(l=>[l.at,Cd(t(l).filter(c=>o(c)===i).map(a))])}))}function Cd(e){let t=e.filter(
o=>o!==null);return t.length===0?null:t.reduce((o,a)=>o+a,0)}function Ae(e,t,o,a="--accent"){return{name:e,colour:a,points:t.map(r=>[r.at,o(r)])}}var bi=e=>e.input_tokens_per_min+
e.output_tokens_per_min;function xi(e){return Xn(e,t=>t.roles,t=>t.role,bi)}function wi(e){return Xn(e,t=>t.roles,t=>Wn(t.server),bi)}function Si(e){return Ae("\
of input tokens",e,t=>{let o=t.roles.filter(r=>r.cached_share!==null&&r.input_tokens_per_min>0),a=o.reduce((r,i)=>r+i.input_tokens_per_min,0);return a===0?null:
o.reduce((r,i)=>r+i.input_tokens_per_min*(i.cached_share??0),0)/a})}function ki(e){return Xn(e,t=>t.roles.filter(o=>o.latency_ms!==null),t=>t.role,t=>t.latency_ms)}
function _i(e){return Xn(e,t=>t.roles,t=>t.role,t=>t.errors_per_min)}function Ei(e){let t=(o,a)=>o.models.reduce((r,i)=>r+i[a],0);return[Ae("in flight",e,o=>t(o,
"in_flight")),Ae("waiting",e,o=>t(o,"waiting"),"--stage-act")]}function Pi(e){return[Ae("reading",e,t=>t.perception?.reading??null,"--stage-perceive"),Ae("waiti\
ng",e,t=>t.perception?.waiting??null,"--stage-act"),Ae("workers",e,t=>t.perception?.workers??null,"--quiet-fill")]}function Wn(e){return e.replace(/^https?:\/\//,
"").replace(/\/v1\/?$/,"")||"no server"}var Ti=new Set(["up","healthy","closed","ok","ready"]);function Ci({servers:e}){return e.length===0?null:n("section",{class:"health-section",children:[n("h2",{children:"\
Servers"}),n("div",{class:"health-scroll panel",tabIndex:0,role:"region","aria-label":"Servers",children:n("table",{class:"health-table",children:[n("thead",{children:n(
"tr",{children:[n("th",{scope:"col",children:"Server"}),n("th",{scope:"col",children:"State"}),n("th",{scope:"col",class:"num",children:"In flight"}),n("th",{scope:"\
col",class:"num",children:"Running there"}),n("th",{scope:"col",class:"num",children:"Waiting there"}),n("th",{scope:"col",class:"num",children:"Its cache is fu\
ll"})]})}),n("tbody",{children:e.map(t=>n("tr",{children:[n("td",{class:"mono said",children:Wn(t.server)}),n("td",{children:n(z,{tone:Ti.has(t.state)?"good":"w\
arn",icon:Ti.has(t.state)?"check":"warning",children:t.state})}),n("td",{class:"num",children:k(t.in_flight)}),n("td",{class:"num",children:k(t.running)}),n("td",
{class:"num",children:k(t.waiting)}),n("td",{class:"num",children:ke(t.cache_usage)})]},t.server))})]})})]})}function Mi({newest:e}){let t=Q({load:o=>A("/models",
{},o),pollMs:1e4},[]);return n("section",{class:"health-section",children:[n("h2",{children:"Models"}),t.problem.value&&n(C,{problem:t.problem.value}),t.value.value?.
length===0&&n("p",{class:"quiet",children:"No model yet: the fleet is being opened."}),t.value.value&&t.value.value.length>0&&n("div",{class:"health-scroll pane\
l",tabIndex:0,role:"region","aria-label":"Models",children:n("table",{class:"health-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"col",children:"\
Role"}),n("th",{scope:"col",children:"Model"}),n("th",{scope:"col",children:"Servers"}),n("th",{scope:"col",class:"num",children:"Calls"}),n("th",{scope:"col",class:"\
num",children:"Failed"}),n("th",{scope:"col",class:"num",children:"In flight, of at most"})]})}),n("tbody",{children:t.value.value.map(o=>{let a=e?.models.find(
r=>r.role===o.role);return n("tr",{children:[n("td",{children:o.role}),n("td",{class:"said",children:o.model}),n("td",{class:"mono said",children:o.servers.map(
Wn).join(", ")}),n("td",{class:"num",children:k(o.calls??0)}),n("td",{class:"num",children:k(o.failures??0)}),n("td",{class:"num",children:a?`${k(a.in_flight)} \
/ ${a.cap==null?ge:k(a.cap)}`:ge})]},o.role)})})]})})]})}var Md=3600;async function Rd(e,t){let o=e?.points.at(-1)?.at,a=await A("/figures",{after:o},t),r=a.points.at(-1)?.at??o??0,i=(e?.points??[]).filter(s=>s.at>r-Md&&
s.at<(a.points[0]?.at??1/0));return{...a,points:[...i,...a.points]}}function Ri(){let e=F(null),t=Q({load:async r=>e.current=await Rd(e.current,r),pollMs:1e4,everyMs:5e3},
[]),o=Q({load:r=>A("/status",{},r),pollMs:1e4},[]),a=t.value.value?.points??[];return n(f,{children:[n(j,{title:"Health",about:"What the fleet does and costs, o\
ver the last hour"}),t.problem.value&&n(C,{problem:t.problem.value}),o.value.value&&n(Ad,{status:o.value.value,newest:a.at(-1)??null}),t.value.value!==null&&a.length<
2?n(D,{icon:"chart",title:"The first figures come within some seconds",children:["The service keeps one point every ",W(t.value.value.every_s),", for an hour."]}):
n($d,{points:a}),a.length>0&&n(Ci,{servers:a.at(-1)?.servers??[]}),n(Mi,{newest:a.at(-1)??null})]})}function Ad({status:e,newest:t}){return n(Re,{facts:[["Steps\
 a minute",t&&be(t.steps_per_min)],["Running",k(e.running)],["Waiting",k(e.waiting)],["Ended",k(e.ended)],["Phones",k(e.phones)],["Started",Y(e.started_at)],["V\
ersion",e.version]]})}function $d({points:e}){if(e.length<2)return null;let t=[Ae("running",e,a=>a.episodes),Ae("waiting",e,a=>a.waiting,"--quiet-fill")],o=a=>W(
a/1e3);return n("div",{class:"plots",children:[n(Xe,{title:"Steps a minute",series:[Ae("all phones",e,a=>a.steps_per_min)],format:be}),n(Xe,{title:"Tokens a min\
ute, by role",series:xi(e),format:ve}),n(Xe,{title:"Tokens a minute, by server",series:wi(e),format:ve}),n(Xe,{title:"Input tokens that were cached",series:[Si(
e)],format:ke}),n(Xe,{title:"Model calls",series:Ei(e),format:be}),n(Xe,{title:"Latency of a call, by role",series:ki(e),format:o}),n(Xe,{title:"Failed calls a \
minute, by role",series:_i(e),format:be}),n(Xe,{title:"Perception",series:Pi(e),format:be}),n(Xe,{title:"Tasks",series:t,format:be})]})}function Xe(e){return n(
"section",{class:"plot-card panel",children:[n("h2",{children:e.title}),n(vi,{label:`${e.title}, the last hour`,series:e.series,formatValue:e.format,formatAt:wt,
height:132})]})}function Ai(){return n("p",{class:"live-lost",role:"status",children:[n(y,{name:"warning"})," The film's screens cannot be reached. The page tries again by itse\
lf, and the film goes on here."]})}var Ld=/[\p{Cc}\p{Cf}\s]+/gu;function Qo(e){return Math.hypot(e.x2-e.x1,e.y2-e.y1)>12}function Li({touches:e,elements:t}){let o=e[0];if(e.length!==1||!o||Qo(o))
return"";let a=null,r="";for(let s of t){let l=s.content.replace(Ld," ").trim();!l||!Bd(s,o)||a&&$i(a)<=$i(s)||([a,r]=[s,l])}let i=[...r];return i.length>40?`${i.
slice(0,39).join("").trimEnd()}\u2026`:r}function Bd(e,{x1:t,y1:o}){return e.x1<=t&&t<=e.x2&&e.y1<=o&&o<=e.y2}function $i(e){return(e.x2-e.x1)*(e.y2-e.y1)}var dt={A:"as expected",B:"a wrong page",C:"nothing changed"},Nd={finished:"the agent said that the task is done",impossible:"the agent said that the goal canno\
t be reached",diverged:"the screen was not the one that the task's flow expects",app_crashed:"the app under test crashed, or did not respond",setup_refused:"the\
 phone refused the app under test, or a setting that the task needs",step_limit:"the limit of steps was reached",answer_invalid:"the agent's answer is missing o\
r does not fit what the task asks for",failure_limit:"too many actions in a row did not do what was expected",repeat_limit:"the same action, or the same round o\
f actions, came again too often",time_limit:"the time limit was reached",unusable_reply:"the model's reply could not be used",phone_lost:"the phone was lost",lease_lost:"\
another holder took the phone",model_failed:"the model failed",perception_failed:"the screen could not be read",host_lost:"the process that ran the episode died",
no_phone:"no phone was left to run it on",no_model:"no model server answered for too long",needs_person:"it needed a person, and none went on with it",cancelled:"\
it was cancelled",internal_error:"a defect of the program ended it",unfinished:"its journal has no end, because the run was interrupted"},Zo="unfinished";function Bi(e,t=""){
return e==="repeat_limit"&&t?t:Nd[e]??e.replaceAll("_"," ")}function Ni(e){return e.replaceAll("_"," ")}var Fd={Back:"Back",Home:"Home",Enter:"Enter",Switch_App:"\
App switcher",Wait:"Wait",Stop:"Stop"};function Fi(e){let t=e.action_kind,o=Fd[t];return o?t==="Wait"?Te(e):o:t==="Open_App"||t==="Open_Link"||t==="Answer"?Te(e):
e.touches.length||e.typed_text||!t?"":Te(e)}function Te(e){if(!e.action)return"no action";let t=e.action.indexOf(" "),o=t<0?e.action:e.action.slice(0,t),a=e.by_person?
"":Li(e);return o.replaceAll("_"," ")+(a&&` \u201C\u2068${a}\u2069\u201D`)+e.action.slice(o.length)}function de(e){return e.episode.ended_at!=null||e.episode.ending!=
null}function Oi(e){return de(e)?e:{...e,episode:{...e.episode,ending:Zo}}}var Ii=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;function Ji(e,t){if(e===t)return t?[{kind:"\
same",text:t}]:[];let o=e.match(Ii)??[],a=t.match(Ii)??[],r=0;for(;r<o.length&&r<a.length&&o[r]===a[r];)r+=1;let i=0;for(;i<o.length-r&&i<a.length-r&&o.at(-1-i)===
a.at(-1-i);)i+=1;let s=[{kind:"same",text:a.slice(0,r).join("")}];return s.push(...Jd(o.slice(r,o.length-i),a.slice(r,a.length-i))),s.push({kind:"same",text:a.slice(
a.length-i).join("")}),Od(s,e,t)?Xd(s):Id(e,t)}function Od(e,t,o){return e.reduce((r,{kind:i,text:s})=>r+(i==="same"?ea(s):0),0)>=.5*Math.min(ea(t),ea(o))}function ea(e){
return e.replace(/\s+/gu,"").length}function Id(e,t){return[{kind:"gone",text:e},{kind:"same",text:`
`},{kind:"new",text:t}]}function Jd(e,t){let o=[{kind:"gone",text:e.join("")},{kind:"new",text:t.join("")}];if(!e.length||!t.length||e.length>600||t.length>600)
return o;let a=qd(e,t),r=t.length+1,i=[],s=0,l=0;for(;s<e.length||l<t.length;)s<e.length&&l<t.length&&e[s]===t[l]?(i.push({kind:"same",text:t[l]}),s+=1,l+=1):l>=
t.length||s<e.length&&Kt(a,(s+1)*r+l)>=Kt(a,s*r+l+1)?(i.push({kind:"gone",text:e[s]}),s+=1):(i.push({kind:"new",text:t[l]}),l+=1);return i}function qd(e,t){let o=t.
length+1,a=new Uint16Array((e.length+1)*o);for(let r=e.length-1;r>=0;r-=1)for(let i=t.length-1;i>=0;i-=1)a[r*o+i]=e[r]===t[i]?Kt(a,(r+1)*o+i+1)+1:Math.max(Kt(a,
(r+1)*o+i),Kt(a,r*o+i+1));return a}function Kt(e,t){return e[t]??0}function Xd(e){let t=[],o="",a="",r=()=>{o&&t.push({kind:"gone",text:o}),a&&t.push({kind:"new",
text:a}),o=a=""};return e.forEach((i,s)=>{if(i.text)if(i.kind==="gone")o+=i.text;else if(i.kind==="new")a+=i.text;else if(!i.text.trim()&&o&&a&&e[s+1]&&e[s+1]?.
kind!=="same")o+=i.text,a+=i.text;else{r();let l=t.at(-1);l?.kind==="same"?l.text+=i.text:t.push({kind:"same",text:i.text})}}),r(),t}function qi(e){let{label:t,text:o,before:a}=e;return o?a!==void 0&&o===a?n("details",{class:"field field-folded",children:[n("summary",{children:[n("span",{class:"\
field-label",children:t}),n("span",{class:"field-hint",children:"as before"}),n("span",{class:"field-peek clip",children:o})]}),n(ue,{children:o})]}):n(Gt,{label:t,
hint:a===void 0?void 0:a?"changed":"new",children:n(ue,{children:a?n(Wd,{before:a,after:o}):o})}):null}function Gt(e){return n("section",{class:"field",children:[
n("h2",{class:"field-label",children:[e.label,e.hint&&n("span",{class:"field-hint field-hint-new",children:e.hint})]}),e.children]})}function Wd({before:e,after:t}){
let o=H(()=>Ji(e,t),[e,t]);return n(f,{children:o.map((a,r)=>a.kind==="same"?n("span",{children:a.text},r):a.kind==="new"?n("ins",{children:a.text},r):n("del",{
children:a.text},r))})}function ue({children:e,class:t=""}){let o=F(null),[a,r]=_(!1),[i,s]=_(!1);return re(()=>{let l=o.current;!l||i||r(l.scrollHeight>l.clientHeight+
4)}),n(f,{children:[n("div",{ref:o,class:`long-text said ${i?"":"long-text-cut"} ${t}`,dir:"auto",children:e}),(a||i)&&n("button",{type:"button",class:"long-tex\
t-more","aria-expanded":i,onClick:()=>s(!i),children:i?"Show less":"Show all"})]})}var zd=/[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]/g;function zn(e){let{width:t,height:o}=e;if(!t||!o)return"";let a=e.touches.flatMap(r=>[[r.x1,r.y1],[r.x2,r.y2]]);
for(let[r,i,s]of[e.thought,e.error,e.expectation].flatMap(l=>[...(l??"").matchAll(zd)])){let l=[Number(i),Number(s)],c=a.find(([u,d])=>Xi(l,[u*1e3/t,d*1e3/o]));
if(c&&!Xi(l,c))return`The model counts from 0 to 1,000 across the screen. Its ${r} is (${c.join(", ")}) in pixels.`}return""}function Xi(e,t){return Math.abs(e[0]-
t[0])<=2&&Math.abs(e[1]-t[1])<=2}function Dn(e){let{ending:t,verified:o,unmet:a}=e.episode;return de(e)?t==="cancelled"?"cancelled":o===!0&&!e.unexpected_changes.length?"done":o===!1||e.unexpected_changes.
length||t!=="finished"?"failed":a?.length?"undecided":"done":"running"}function Wi(e){let t=Dn(e);return t!=="failed"&&t!=="undecided"?null:{headline:Dd(e,t),lines:Hd(
e)}}function Dd(e,t){let{ending:o,reason:a,verified:r,unmet:i}=e.episode,s=Bi(o??"",a??"");if(t==="undecided")return"Nobody could tell whether the task is done:\
 its check was not answered.";if(String(o)===Zo)return`Nobody knows whether the task was done: ${s}.`;if(o==="finished")return r===!1?"The agent said that the t\
ask is done, but the task's check does not hold.":"The agent said that the task is done, but it also changed what it must not change.";let l=i?.length&&o!=="ste\
p_limit"?" The task's check does not hold.":"";return`The episode ended before the task was done: ${s}.${l}`}function Hd(e){let{reason:t,unmet:o,ending:a}=e.episode,
r=[],i=ut(e),s=i===null?void 0:e.steps[i],l=s&&na(s)[0];if(s&&i!==null&&l){let c=t?.includes(l.text)?`${l.title}.`:l.text;r.push({label:`Step ${s.step}`,text:`I\
t sent: ${Te(s)}`,step:s.step}),s.thought&&r.push({label:"It thought",text:s.thought}),s.expectation&&r.push({label:"It expected",text:s.expectation}),r.push({label:"\
Then",text:c});let u=zn(s);u&&r.push({label:"Places",text:u});let d=jd(e,i);d.length&&r.push({label:"Again at",text:`step${d.length===1?"":"s"} ${d.join(", ")}`})}
a!=="finished"&&a!=="repeat_limit"&&t&&r.push({label:"Reason",text:t});for(let c of o??[])r.push({label:"Expected",text:c.expected},{label:"Found",text:c.found});
for(let c of e.judged)c.verdict!=="yes"&&r.push({label:`Judge: ${c.verdict??"no answer"}`,text:c.reason});for(let c of e.unexpected_changes)r.push({label:"Not a\
llowed",text:Ud(c)});return r}function Ud(e){return e.before==null?`${e.path}: added ${e.after??""}`:e.after==null?`${e.path}: removed ${e.before}`:`${e.path}: ${e.
before} became ${e.after}`}function ut(e){let t=Dn(e),{steps:o}=e;if(t!=="failed"&&t!=="undecided"||!o.length)return null;let a=Vd(o),r=o.findIndex((s,l)=>l>a&&
ta(s));if(r>=0)return r;let i=o.findLastIndex(s=>Kd(s,e));return i>=0?i:o.length-1}function Vd(e){let t=-1,o=!1,a=new Set;return e.forEach((r,i)=>{let s=o&&(r.action_kind===
"Back"||r.action_kind==="Home");zi(r)&&!s&&!a.has(r.action)?(t=i,o=!1):ta(r)&&(o=!0),a.add(r.action)}),t}function jd(e,t){let o=e.steps[t]?.action;return o?e.steps.
slice(t+1).filter(a=>a.action===o&&ta(a)).map(a=>a.step):[]}function Kd(e,t){return e.typed_text.split(`
`).map(a=>a.trim()).filter(Boolean).some(a=>(t.episode.unmet??[]).some(r=>r.expected.includes(a)&&!r.found.includes(a)))}function Hn(e,t=e.steps.length){let o=e.
steps.slice(0,t).findLastIndex(zi);return o<0?null:o}function zi(e){return e.outcome==="A"&&!e.problem}function ta(e){return e.outcome==="B"||e.outcome==="C"||!!e.
problem||e.failures.length>0}function na(e){let t=[],o=new Set,a=(r,i,s)=>{s&&[...o].some(l=>l.includes(s))||(o.add(s),t.push({tone:r,title:i,text:s}))};for(let r of e.
failures)a("bad","A stage gave no result",r);if(e.problem&&a("bad",e.action?"The action was not carried out":"There is no action",e.problem),e.outcome==="B"||e.
outcome==="C"){let r=`After the action: ${dt[e.outcome]}`;o.has(e.error)||a(e.outcome==="B"?"bad":"warn",r,e.error)}if(e.wrong_page!=null){let r=e.went_back===!1?
"Going back did not lead to the page from before.":"The agent went back.";a("warn","The action led to a wrong page",r)}for(let r of e.findings)r.is_problem&&a("\
warn",`A problem of the stage ${r.stage}`,r.text);for(let r of e.calls)r.error&&a("bad",`A call of the ${r.agent} failed`,r.error);for(let r of e.resumed)a("qui\
et","The episode was interrupted before this step and resumed",r);return t}var pt=["side","slider","one"],Ct=["step","screen","timing","calls","log"],Yt={step:"Step",screen:"Screen",timing:"Timing",calls:"Model calls",log:"Log"};function Hi(e,t=!1){
let{steps:o}=e,a=T("step"),r=a===""?-1:Gd(o,Number(a)),i=r<0&&!de(e),s=i||t,l=r>=0?r:s?o.length-1:ut(e)??0,c=o[l];return c?{index:l,step:c,previous:o[l-1],next:o[l+
1],count:o.length,isFollowing:i,view:Di(pt,T("view"),"side"),face:T("face")==="after"?"after":"before",tab:Di(Ct,T("tab"),"step"),boxes:T("boxes")==="1",changes:T(
"changes")!=="0"}:null}function Gd(e,t){if(!Number.isInteger(t))return-1;let o=0,a=e.length-1;for(;o<a;){let r=Math.ceil((o+a)/2);e[r].step<=t?o=r:a=r-1}return e.
length?o:-1}function Di(e,t,o){return e.find(a=>a===t)??o}function Qt({steps:e}){let t=e[0]?.step,o=e.at(-1)?.step;return t===o?"":`of ${t} to ${o}`}function $e(e,t){
let o=e.steps[Math.min(Math.max(t,0),e.steps.length-1)];o&&I({step:o.step})}function Un(e){return me(Oe.value.path,{...Oe.value.choices,step:e})}function Vn(){I(
{step:null})}function jn(e){I({tab:e==="step"?null:e})}function Kn(e){I({view:e==="side"?null:e})}function Ui(e){I({view:"one",face:e==="before"?null:e})}function Mt(e){
I({boxes:e?1:null})}function Gn(e){I({changes:e?null:0})}function Vi({report:e}){let t=Wi(e);return t?n("section",{class:"failure","aria-label":"Why it failed",children:[n("h2",{class:"failure-head",children:[n(y,{name:"\
warning"}),t.headline]}),n("dl",{class:"failure-lines",children:t.lines.map((o,a)=>n("div",{class:"failure-line",children:[n("dt",{children:o.step===void 0?o.label:
n("a",{href:Un(o.step),children:o.label})}),n("dd",{children:n(ue,{class:"failure-text",children:o.text})})]},a))})]}):null}var ji=[.5,1,2,4,8],Yd=1400;function Ki(e,t,o){let[a,r]=_(!1),[i,s]=_(1),l=t?.index??0,c=e.steps.length-1;return w(()=>{if(!a)return;if(l>=c){r(!1);return}let d=!0,
m=async()=>{await Qd(o,e.steps[l+1]),d&&$e(e,l+1)},h=setTimeout(()=>{m()},Yd/i);return()=>{d=!1,clearTimeout(h)}},[a,i,l,c,o]),{isPlaying:a,speed:i,toggle:()=>{
!a&&l>=c&&$e(e,0),r(!a&&c>0)},setSpeed:s}}async function Qd(e,t){let o=[t?.screen,t?.screen_after].map(a=>a?e.pictureUrl(a,"full"):null);await Promise.all(o.map(
a=>a===null?null:lt(e.reach,a)))}function Gi({report:e,film:t,player:o,note:a}){let r=ut(e),i=r===null?null:Hn(e,r),s=l=>$e(e,l);return n("div",{class:"controls",role:"group","aria-label":"Film",
children:[n("div",{class:"controls-play",children:[n(x,{icon:"first",kind:"quiet",label:"First step (Home)",disabled:t.index===0,onClick:()=>s(0)}),n(x,{icon:"l\
eft",kind:"quiet",label:"Step before (\u2190)",disabled:t.index===0,onClick:()=>s(t.index-1)}),n(x,{icon:o.isPlaying?"pause":"play",kind:"primary",label:o.isPlaying?
"Pause (Space)":"Play (Space)",onClick:o.toggle}),n(x,{icon:"right",kind:"quiet",label:"Next step (\u2192)",disabled:t.index>=t.count-1,onClick:()=>s(t.index+1)}),
n(x,{icon:"last",kind:"quiet",label:"Last step (End)",disabled:t.index>=t.count-1,onClick:()=>s(t.count-1)}),n("select",{class:"controls-speed","aria-label":"Sp\
eed",value:String(o.speed),onChange:l=>o.setSpeed(Number(l.currentTarget.value)),children:ji.map(l=>n("option",{value:String(l),children:[l,"\xD7"]},l))})]}),n(
eu,{report:e,film:t}),n("span",{class:"controls-count",children:["Step ",n("strong",{children:k(t.step.step)}),n("span",{class:"faint",children:[" ",Qt(e)]})," ",
n("span",{class:"quiet",role:"status",children:a})]}),n("div",{class:"controls-jumps",children:[r!==null&&n(x,{title:"To the failure (F)",onClick:()=>s(r),disabled:r===
t.index,children:[n(y,{name:"warning"})," To the failure"]}),i!==null&&n(x,{title:"To the last action that was as expected (G)",onClick:()=>s(i),disabled:i===t.
index,children:[n(y,{name:"check"})," Last good step"]}),!de(e)&&n(x,{pressed:t.isFollowing,title:"Follow the newest step (L)",onClick:Vn,children:[n("span",{class:`\
live-dot${t.isFollowing?" live-dot-on":""}`})," Follow"]})]})]})}var Zd={A:5,B:16,C:11,none:3};function eu({report:e,film:t}){let{steps:o}=e,a=Math.max(1,o.length);
return n("div",{class:"line",style:{maxWidth:`${o.length*48}px`},children:[n("svg",{class:"line-verdicts",viewBox:`0 0 ${a} 16`,preserveAspectRatio:"none","aria\
-hidden":"true",children:[["A","B","C","none"].map(r=>n("path",{class:`line-${r}`,d:tu(o,r)},r)),n("rect",{class:"line-now",x:t.index,width:1,y:0,height:16})]}),
n("input",{class:"line-input",type:"range",min:0,max:Math.max(0,o.length-1),value:t.index,"aria-label":"Step","aria-valuetext":`Step ${t.step.step} ${Qt(e)}`,onInput:r=>$e(
e,Number(r.currentTarget.value))})]})}function tu(e,t){let o=e.length>300?0:.12,a=Zd[t],r="";return e.forEach((i,s)=>{(i.outcome??"none")===t&&(r+=`M${s+o} 16h${1-
2*o}v-${a}h-${1-2*o}z`)}),r}var nu={running:{tone:"accent",icon:"play",words:"running"},done:{tone:"good",icon:"check",words:"done"},failed:{tone:"bad",icon:"cross",words:"failed"},undecided:{
tone:"warn",icon:"info",words:"undecided"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"}};function ou({name:e,isReader:t,isPaused:o}){let a=t?"you":e||
"a person";return o?{tone:"warn",icon:"pause",words:`paused by ${a}`}:{tone:"warn",icon:"hand",words:`taken over by ${a}`}}function Yi({report:e,person:t,tools:o}){
let{episode:a}=e,r=Dn(e),i=r==="running"&&t?ou(t):nu[r];return n("header",{class:"film-head",children:[n("div",{class:"film-title",children:[n(z,{tone:i.tone,icon:i.
icon,children:i.words}),n("h1",{children:n(ue,{class:"film-goal",children:a.goal})}),o&&n("div",{class:"film-tools",children:o})]}),n(au,{report:e}),a.answer!=null&&
n("p",{class:"film-answer",children:[n("span",{class:"quiet",children:"Answer"}),n("span",{class:"said",children:a.answer})]}),n(iu,{report:e})]})}function au({
report:e}){let{episode:t,steps:o}=e,a=i=>o.reduce((s,l)=>s+l[i],0),r=t.ended_at==null?null:t.ended_at-t.started_at;return n("dl",{class:"film-facts",children:[n(
pe,{name:"Task",children:[n("bdi",{children:t.task}),t.attempt>1&&`, attempt ${t.attempt}`]}),t.ending&&n(pe,{name:"Ending",children:Ni(t.ending)}),t.verified!=
null&&n(pe,{name:"Check",children:[t.verified?"holds":"does not hold",t.verified_by==="judge"&&", by a judge"]}),t.phone&&n(pe,{name:"Phone",children:n("bdi",{children:t.
phone})}),n(pe,{name:"Steps",children:[k(t.steps)," done",e.max_steps!=null&&`, at most ${k(e.max_steps)}`]}),r!==null&&n(pe,{name:"Time",children:W(r)}),n(pe,{
name:"Model",children:[L(a("model_calls"),"call"),", ",ve(a("input_tokens"))," tokens in,"," ",ve(a("output_tokens"))," out"]}),n(pe,{name:"Began",children:[Y(t.
started_at)," ",Rr(t.started_at)]}),(t.resumed??0)>0&&n(pe,{name:"Resumed",children:L(t.resumed??0,"time")}),(t.damaged??0)>0&&n(pe,{name:"Journal",children:[L(
t.damaged??0,"place")," cannot be read"]})]})}function pe({name:e,children:t}){return n("div",{class:"film-fact",children:[n("dt",{children:e}),n("dd",{class:"s\
aid",children:t})]})}var ru={given:"given",added:"taught",changed:"changed",removed:"removed"};function iu({report:e}){let{episode:t}=e;return n("details",{class:"\
film-details",children:[n("summary",{children:[n(y,{name:"right",size:12})," More about this episode"]}),n("dl",{class:"film-facts",children:[n(pe,{name:"Episod\
e",children:n("bdi",{class:"mono",children:t.id})}),e.batch&&n(pe,{name:"Batch",children:e.batch}),n(pe,{name:"Profile",children:t.profile}),e.schedule&&n(pe,{name:"\
Schedule",children:e.schedule}),e.apps.length>0&&n(pe,{name:"Apps",children:e.apps.join(", ")}),e.tags.length>0&&n(pe,{name:"Tags",children:e.tags.join(", ")})]}),
t.answer_data!=null&&n("pre",{class:"said film-data",children:JSON.stringify(t.answer_data,null,2)}),e.judged.map((o,a)=>n("p",{class:"film-judged",children:[n(
z,{tone:o.verdict==="yes"?"good":o.verdict==="no"?"bad":"warn",children:["judge: ",o.verdict??"no answer"]})," ",n("span",{class:"said",children:o.statement}),"\
 ",n("span",{class:"said quiet",children:o.reason})]},a)),e.lesson_problem&&n("p",{class:"said",children:["Nothing was learned: ",e.lesson_problem]}),e.lessons.
length>0&&n("ul",{class:"film-lessons",children:e.lessons.map((o,a)=>n("li",{children:[n(z,{tone:o.way==="given"?"quiet":"accent",children:[o.kind,", ",ru[o.way]]}),
n(ue,{children:o.text||o.id})]},a))})]})}function Qi(e,t,o,a){je("Film",t?su(e,t,o,a):[])}function su(e,t,o,a){let r=(u,d="")=>()=>{u!==null?$e(e,u):a(d)},i=ut(e),s=de(e)?"This episode did not fail.":"\
It has not failed so far.",l=[{key:"ArrowRight",does:"next step",run:r(t.index+1)},{key:"ArrowLeft",does:"step before",run:r(t.index-1)},{key:".",does:"next ste\
p, on a tab, too",run:r(t.index+1)},{key:",",does:"step before, on a tab, too",run:r(t.index-1)},{key:"Home",does:"first step",run:r(0)},{key:"End",does:"last s\
tep",run:r(t.count-1)},{key:" ",does:"play or pause",run:o.toggle},{key:"f",does:"to the failure",run:r(i,s)},{key:"g",does:"to the last action that was as expe\
cted",run:r(Hn(e,i??t.count),"No action before was as expected.")},{key:"l",does:"follow the newest step",run:()=>!de(e)&&Vn()},{key:"c",does:"flip between befo\
re and after",run:()=>Ui(t.view==="one"&&t.face==="before"?"after":"before")},{key:"v",does:"side by side, slider, one screen",run:()=>Kn(pt[(pt.indexOf(t.view)+
1)%pt.length]??"side")},{key:"b",does:"boxes of what was read",run:()=>Mt(!t.boxes)},{key:"d",does:"mark what changed",run:()=>Gn(!t.changes)}],c=Ct.map((u,d)=>({
key:String(d+1),does:`show ${Yt[u].toLowerCase()}`,run:()=>jn(u)}));return[...l,...c]}var lu=[{key:"ArrowRight",does:"next tab"},{key:"ArrowLeft",does:"tab before"},{key:"Home",does:"first tab"},{key:"End",does:"last tab"}];function Zi(e){let{tabs:t,
current:o,onChange:a}=e,r=F(null);re(()=>{r.current&&cu(r.current,o)},[o,t.length]),je("While a tab has the focus",lu);let i=s=>{let l=t.findIndex(d=>d.id===o),
c={ArrowRight:l+1,ArrowLeft:l-1,Home:0,End:t.length-1}[s.key],u=c===void 0?void 0:t[(c+t.length)%t.length];u&&(s.preventDefault(),s.stopPropagation(),a(u.id),s.
currentTarget.querySelector(`[data-tab="${CSS.escape(u.id)}"]`)?.focus())};return n("div",{class:"tabs",ref:r,role:"tablist","aria-label":e.label,onKeyDown:i,children:t.
map(s=>n("button",{type:"button",class:"tab",role:"tab","data-tab":s.id,"aria-selected":s.id===o,"aria-controls":s.id===o?e.panel:void 0,tabIndex:s.id===o?0:-1,
onClick:()=>a(s.id),children:[s.title,s.count!==void 0&&n("span",{class:"tab-count",children:k(s.count)})]},s.id))})}function cu(e,t){let o=e.querySelector(`[da\
ta-tab="${CSS.escape(t)}"]`);if(!o)return;let[a,r]=[o.offsetLeft-e.offsetLeft,o.offsetLeft-e.offsetLeft+o.offsetWidth];a<e.scrollLeft?e.scrollLeft=a:r>e.scrollLeft+
e.clientWidth&&(e.scrollLeft=r-e.clientWidth)}var Yn="manyhands:",du=/^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;function ts(e){return es(e.messages).flatMap(t=>{let{role:o,content:a}=oa(t),r=typeof o==
"string"?o:"message";return typeof a=="string"?os(r,a):es(a).flatMap(i=>uu(r,oa(i)))})}function ns(e){return Object.entries(e).filter(([t])=>t!=="messages").map(
([t,o])=>[t,typeof o=="string"?o:JSON.stringify(o,null,2)??""])}function uu(e,t){let o=pu(t);return o?[{title:"Picture",role:e,text:"",picture:o}]:typeof t.text==
"string"?os(e,t.text):[{title:String(t.type??"part"),role:e,text:JSON.stringify(t,null,2),picture:""}]}function pu(e){let t=oa(e.image_url).url;return typeof t==
"string"&&t.startsWith(Yn)?t.slice(Yn.length):""}function os(e,t){let o=[],a="",r=[],i=()=>{let s=r.join(`
`).trim();(a||s)&&o.push({title:a||"Opening",role:e,text:s,picture:""}),r=[]};for(let s of t.split(`
`)){let l=du.exec(s);l?(i(),a=(l[1]??l[2]??"").trim()):r.push(s)}return i(),o}function es(e){return Array.isArray(e)?e:[]}function oa(e){return typeof e=="objec\
t"&&e!==null?e:{}}function as(e){try{let t=JSON.parse(e);return typeof t!="object"||t===null||Array.isArray(t)?null:Object.entries(t).map(([o,a])=>[o,typeof a==
"string"?a:JSON.stringify(a,null,2)])}catch{return null}}var is=/^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;function ss(e,t){let o=mu(JSON.stringify(t)),a=["# The key of the server, if it \
asks for one: export MANYHANDS_API_KEY=..."];o.length>1&&a.push("# The folder with the run's screens:",'SCREENS="${SCREENS:-screens}"');for(let r of o){let i=is.
exec(r.picture)?.[2];i&&a.push(`# ${r.picture}.png is made from a screen (${i.split("-")[0]??""}): save it from the page.`)}a.push("{");for(let r of o)r.picture&&
a.push(`  base64 < "$SCREENS/${fu(r.picture)}" | tr -d '\\n'`),a.push(`  printf %s ${rs(r.text)}`);return a.push("} | curl --silent --show-error \\","  -H 'Cont\
ent-Type: application/json' \\",'  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',`  --data-binary @- ${rs(hu(e))}`),`${a.join(`
`)}
`}function mu(e){let[t="",...o]=e.split(`"url":"${Yn}`),a=[{picture:"",text:t}];for(let r of o){let i=r.indexOf('"'),s=a.pop();a.push({picture:s.picture,text:`${s.
text}"url":"data:image/png;base64,`}),a.push({picture:r.slice(0,i),text:r.slice(i)})}return a}function fu(e){return`${is.test(e)?e:"picture"}.png`}function hu(e){
let t=[...e].map(o=>o<" "||o==="\x7F"?"":o).join("");return/\/(chat\/)?completions$/.test(t)?t:`${t.replace(/\/+$/,"")}/chat/completions`}function rs(e){return`\
'${e.replaceAll("'","'\\''")}'`}var gu=/^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;function ls({picture:e,source:t}){let o=gu.exec(e),a=o?.[1]??
e,r=t.pictureUrl(a,"full"),i=Et(t.reach,r===null?[]:[r]),s=o?.slice(2).map(Number)??[],l=o?.[2]!==void 0;return n("figure",{class:"prompt-picture",children:[r?i.
url?l?n(vu,{url:i.url,numbers:s,onError:i.onError}):n("a",{href:r,target:"_blank",rel:"noreferrer",title:"Open the picture",children:n("img",{src:i.url,alt:"Scr\
een shown to the model",loading:"lazy",decoding:"async",onError:i.onError})}):n("p",{class:"quiet",children:i.isMissing?"This picture could not be loaded.":"Thi\
s picture is loaded as soon as it can be reached."}):n("p",{class:"quiet",children:"This report was made without screens."}),n("figcaption",{class:"faint",children:[
l?"A part of a screen":o?"A screen, half as wide":"A screen"," ",n("span",{class:"mono said",children:e.slice(0,8)})]})]})}function vu(e){let{url:t,numbers:o}=e,
[a=0,r=0,i=1,s=1,l=0,c=0,u=1,d=1,m=0]=o,h=Math.max(1,i-a),p=Math.max(1,s-r);return n("svg",{class:"prompt-crop",viewBox:`${a} ${r} ${h} ${p}`,role:"img","aria-l\
abel":`Part ${m} of a screen, shown to the model`,children:[n("image",{href:t,x:0,y:0,onError:e.onError}),n("rect",{x:l,y:c,width:u-l,height:d-c,class:"prompt-c\
rop-box"}),n("text",{x:l+4,y:c+26,class:"prompt-crop-number",children:m})]})}var yu=700;function cs(e){let{call:t,content:o,source:a}=e,r=H(()=>ts(o.request),[o]),i=H(()=>ns(o.request),[o]),[s,l]=_(null);return n(f,{children:[n("section",
{"aria-label":"Reply",children:[n("div",{class:"call-part-head",children:[n("h2",{children:"Reply"}),o.reply!=null&&n(jt,{label:"Copy the reply",text:()=>o.reply??
"",children:"Copy"})]}),o.reply==null?n("p",{class:"quiet",children:"The model gave no reply."}):n(bu,{reply:o.reply})]}),n("section",{"aria-label":"Prompt",children:[
n("div",{class:"call-part-head",children:[n("h2",{children:"Prompt"}),n(x,{kind:"quiet",onClick:()=>l(s!==!0),children:s===!0?"Fold long ones":"Open all"}),n(jt,
{label:"Copy as curl",kind:"plain",text:()=>ss(t.server,o.request),children:"Copy as curl"})]}),r.length?n("ol",{class:"prompt",children:r.map((c,u)=>n(xu,{section:c,
source:a,isOpen:s??c.text.length<=yu,isNewRole:r[u-1]?.role!==c.role},`${u} ${String(s)}`))}):n("p",{class:"quiet",children:"The request was not recorded."}),i.
length>0&&n("details",{class:"prompt-section",children:[n("summary",{children:"Settings of the request"}),n("dl",{class:"prompt-settings",children:i.map(([c,u])=>n(
"div",{children:[n("dt",{class:"mono",children:c}),n("dd",{class:"mono said",children:u})]},c))})]})]})]})}function bu({reply:e}){let t=as(e);return t?.length?n(
"dl",{class:"call-reply",tabIndex:0,"aria-label":"Parts of the reply",children:t.map(([o,a])=>n("div",{class:"call-reply-part",children:[n("dt",{class:"mono sai\
d",children:o}),n("dd",{class:"said",dir:"auto",children:a})]},o))}):n("pre",{class:"said call-reply",dir:"auto",tabIndex:0,role:"group","aria-label":"Text of t\
he reply",children:e})}function xu(e){let{section:t}=e;return n("li",{children:[e.isNewRole&&n("span",{class:"prompt-role",children:t.role}),t.picture?n(ls,{picture:t.
picture,source:e.source}):n("details",{class:"prompt-section",open:e.isOpen,children:[n("summary",{children:[n("bdi",{class:"clip",children:t.title}),n("span",{
class:"faint",children:[ve(t.text.length)," letters"]})]}),n("div",{class:"prompt-text said",dir:"auto",tabIndex:0,role:"group","aria-label":t.title,children:t.
text})]})]})}function ds({film:e,source:t}){let{step:o}=e,[a,r]=_(null),[i,s]=_(0),l=o.calls.length;if(w(()=>{if(!l)return;let d=!0;return t.loadCalls(o.step).then(m=>d&&r({
step:o.step,calls:m,error:""}),m=>d&&r({step:o.step,calls:null,error:String(m instanceof Error?m.message:m)})),()=>{d=!1}},[o.step,l,t,i]),!l)return n(D,{icon:"\
bolt",title:"No model was asked",children:"This step made no call of a model."});let c=a?.step===o.step?a:null,u=T("call");return n("div",{class:"calls",children:[
c?.error&&n("p",{class:"calls-error",role:"alert",children:["The texts of the calls could not be loaded: ",n("span",{class:"said",children:c.error})," ",n(x,{icon:"\
retry",onClick:()=>s(i+1),children:"Try again"})]}),n("ol",{class:"call-list",children:o.calls.map(d=>n(wu,{call:d,loaded:c,source:t,judges:d.role==="decide"&&!d.
is_repair&&e.previous?.judged_by==="agent"?e.previous.step:null,isOpen:u===String(d.number)||u===""&&l===1},d.number))})]})}function wu(e){let{call:t,judges:o,isOpen:a}=e,
r=e.loaded?.calls?.calls.find(i=>i.number===t.number);return n("li",{class:`call${t.is_dropped?" call-dropped":""}`,children:[n("button",{type:"button",class:"c\
all-head","aria-expanded":a,onClick:()=>I({call:a?"none":t.number}),children:[n(y,{name:a?"down":"right",size:12}),n("span",{class:"call-role",children:t.agent}),
n("span",{class:"call-marks",children:[o!==null&&n(z,{title:`The reply also judges the action of step ${o}.`,children:["judges step ",o]}),t.is_repair&&n(z,{tone:"\
warn",title:"The model was asked again because its answer was invalid.",children:"repair"}),t.is_dropped&&n(z,{title:"Its result was not used.",children:"droppe\
d"}),t.attempts>1&&n(z,{tone:"warn",children:["sent ",t.attempts," times"]}),t.error&&n(z,{tone:"bad",icon:"warning",children:"failed"})]}),n("span",{class:"cal\
l-numbers",children:[n(Qn,{name:"in",value:ve(t.input_tokens)}),n(Qn,{name:"cached",value:ke(t.input_tokens?t.cached_tokens/t.input_tokens:null)}),n(Qn,{name:"o\
ut",value:ve(t.output_tokens)}),n(Qn,{name:"took",value:W(t.latency_ms/1e3)})]})]}),t.error&&n(ue,{class:"call-error",children:t.error}),a&&n("div",{class:"call\
-body",children:[n("p",{class:"call-where faint",children:[n("bdi",{class:"clip mono",title:t.model,children:t.model||"model unknown"}),n("span",{children:"at"}),
n("bdi",{class:"clip mono",title:t.server,children:t.server}),t.queue_ms>=1&&`after ${W(t.queue_ms/1e3)} in our queue`]}),r?n(cs,{call:t,content:r,source:e.source}):
n("p",{class:"quiet",children:e.loaded?"The request was not recorded.":"Loading\u2026"})]})]})}function Qn({name:e,value:t}){return n("span",{class:"call-number",
children:[n("span",{class:"faint",children:e})," ",t]})}var Su=/^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/,ku=/^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
function ps(e,t){let o=[];for(let a of e.split(`
`)){let r=a.replace(/\r$/,"");r&&o.push(_u(r,t,o.at(-1)?.at??null))}return o}function _u(e,t,o){let a=Su.exec(e);if(a)return{at:Number(a[1]),level:a[2]??"",tag:a[3]??
"",text:a[4]??""};let r=ku.exec(e);if(!r)return{at:o,level:"",tag:"",text:e};let[,i,s,l,c,u,d,m="",h="",p=""]=r;return{at:new Date(Number(i??new Date(t*1e3).getFullYear()),
Number(s)-1,Number(l),Number(c)).getTime()/1e3+Number(u)*60+Number(d),level:m,tag:h,text:p}}function ms(e,t,o){return e.filter(a=>a.at!==null&&a.at>=t&&(o===null||
a.at<o))}var us="VDIWEF";function fs(e,t,o){let a=Math.max(0,us.indexOf(t)),r=o.trim().toLowerCase();return e.filter(i=>i.level&&us.indexOf(i.level==="A"?"F":i.
level)<a?!1:!r||i.tag.toLowerCase().includes(r)||i.text.toLowerCase().includes(r))}var Eu=500,Pu=600,Tu=[["V","all levels"],["I","info and worse"],["W","warnings and worse"],["E","errors"]];function hs(e){let{report:t,film:o,source:a}=e,[r,i]=_(
null),[s,l]=_(Eu),c=t.has_log?a.loadLog:void 0;w(()=>{if(!c)return;let v=!0;return c().then(g=>v&&i(ps(g,t.episode.started_at)),g=>v&&i(String(g instanceof Error?
g.message:g))),()=>{v=!1}},[c,t.steps.length]);let u=T("find"),d=T("level","V"),[m,h]=Cu(o.step,o.next),p=H(()=>Array.isArray(r)&&m!==null?fs(ms(r,m,h),d,u):[],
[r,m,h,d,u]);return c?typeof r=="string"?n(D,{icon:"warning",title:"The log could not be loaded",children:n("span",{class:"said",children:r})}):n("div",{class:"\
log",children:[n("div",{class:"log-head",children:[n("input",{class:"field-input",type:"search",placeholder:"Find in tags and texts","aria-label":"Find in the l\
og",value:u,onInput:v=>I({find:v.currentTarget.value})}),n("select",{class:"field-input","aria-label":"Level",value:d,onChange:v=>I({level:v.currentTarget.value===
"V"?null:v.currentTarget.value}),children:Tu.map(([v,g])=>n("option",{value:v,children:g},v))}),n("span",{class:"faint",role:"status",children:r?L(p.length,"lin\
e"):"Loading\u2026"})]}),r&&!p.length&&n("p",{class:"quiet log-none",children:u||d!=="V"?"No line of this step fits.":"The phone wrote nothing during this step."}),
n("ol",{class:"log-lines",tabIndex:0,"aria-label":"Log lines of this step",children:p.slice(0,s).map((v,g)=>n("li",{class:`log-line log-${v.level||"none"}`,children:[
n("span",{class:"num faint",children:v.at===null||m===null?"":`+${(v.at-m).toFixed(3)}\xA0s`}),n("span",{class:"log-level",children:v.level}),n("bdi",{class:"lo\
g-tag clip",title:v.tag,children:v.tag}),v.text.length>Pu?n("div",{children:n(ue,{children:v.text})}):n("span",{class:"said",children:v.text})]},g))}),p.length>
s&&n(x,{onClick:()=>l(s+2e3),children:["Show more of ",k(p.length)]})]}):n(D,{icon:"list",title:"No log was recorded",children:["Run with ",n("code",{children:"\
--logcat"})," to keep the phone's log beside the steps."]})}function Cu(e,t){let o=i=>[...i.stages.map(s=>s.start),i.taken_at??1/0],a=Math.min(...o(e)),r=t?Math.
min(...o(t)):1/0;return[Number.isFinite(a)?a:null,Number.isFinite(r)?r:null]}var We=M(null);function aa({elements:e,all:t}){let o=We.value,a=t?[...e].sort((r,i)=>gs(i)-gs(r)):e.filter(r=>r===o);return n("g",{class:"boxes",children:a.map(
(r,i)=>n("rect",{class:`box box-${r.kind}${r===o?" box-pointed":""}`,x:r.x1,y:r.y1,width:Math.max(1,r.x2-r.x1),height:Math.max(1,r.y2-r.y1),rx:6,onPointerEnter:()=>We.
value=r,onPointerLeave:()=>We.value=null},i))})}function gs(e){return(e.x2-e.x1)*(e.y2-e.y1)}function ra(e){let t=We.value;if(!t||!e.elements.includes(t))return null;
let[o,a]=e.size,r=t.y2>a*.8;return n("div",{class:"box-hint",style:{left:`${Math.min(70,100*t.x1/o)}%`,top:r?"auto":`${100*t.y2/a}%`,bottom:r?`${100-100*t.y1/a}\
%`:"auto"},children:[n("span",{class:"faint",children:t.kind})," ",n("bdi",{children:ia(t)})]})}function ia(e){return e.content||"(no name)"}function bs(e,t){let o=e.naturalWidth,a=e.naturalHeight;if(!o||!a||t.naturalWidth!==o||t.naturalHeight!==a)return null;let r=Math.min(180,o),i=Math.max(1,Math.round(
a*r/o)),s=vs(e,r,i),l=s&&vs(t,r,i);if(!s||!l)return null;let c=Math.ceil(r/4),u=Math.ceil(i/4),d=new Uint8Array(c*u);for(let v=0;v<i;v+=1)for(let g=0;g<r;g+=1){
let S=4*(v*r+g);Mu(s,l,S)&&(d[Math.floor(v/4)*c+Math.floor(g/4)]=1)}let m=o/r*4,h=d.reduce((v,g)=>v+g,0),p=Ru(d,c,u).map(v=>({x1:Math.round(v.x1*m),y1:Math.round(
v.y1*m),x2:Math.min(o,Math.round(v.x2*m)),y2:Math.min(a,Math.round(v.y2*m))}));return{places:ws(p,0),share:h/d.length,by:"pixels"}}function Mu(e,t,o){for(let a=0;a<
3;a+=1)if(Math.abs((e[o+a]??0)-(t[o+a]??0))>24)return!0;return!1}function vs(e,t,o){let a=document.createElement("canvas");a.width=t,a.height=o;let r=a.getContext(
"2d",{willReadFrequently:!0});if(!r)return null;try{return r.drawImage(e,0,0,t,o),r.getImageData(0,0,t,o).data}catch{return null}}function Ru(e,t,o){let a=new Uint8Array(
e.length),r=[];for(let i=0;i<e.length;i+=1){if(!e[i]||a[i])continue;let s={x1:t,y1:o,x2:0,y2:0},l=[i];for(a[i]=1;l.length;){let c=l.pop(),u=c%t,d=Math.floor(c/t);
s.x1=Math.min(s.x1,u),s.y1=Math.min(s.y1,d),s.x2=Math.max(s.x2,u+1),s.y2=Math.max(s.y2,d+1);for(let m=Math.max(0,d-2);m<=Math.min(o-1,d+2);m+=1)for(let h=Math.max(
0,u-2);h<=Math.min(t-1,u+2);h+=1){let p=m*t+h;e[p]&&!a[p]&&(a[p]=1,l.push(p))}}r.push(s)}return r}var ys=12;function xs(e,t,o){let a=[...Zt(e,t),...Zt(t,e)],r=a.
reduce((i,s)=>i+(s.x2-s.x1)*(s.y2-s.y1),0);return{places:ws(a,o[0]*Au),share:Math.min(1,r/Math.max(1,o[0]*o[1])),by:"elements"}}var Au=.05;function ws(e,t){let o=[
...e];for(let a=-1;a!==o.length;){a=o.length;let r=[];for(let i of o){let s=r.findIndex(c=>$u(c,i,t)),l=r[s];l?r[s]=Lu(l,i):r.push(i)}o=r}return o}function $u(e,t,o){
return e.x1-o<t.x2&&t.x1-o<e.x2&&e.y1-o<t.y2&&t.y1-o<e.y2}function Lu(e,t){return{x1:Math.min(e.x1,t.x1),y1:Math.min(e.y1,t.y1),x2:Math.max(e.x2,t.x2),y2:Math.max(
e.y2,t.y2)}}function Zt(e,t){let o=new Map;for(let a of t){let r=`${a.kind}:${a.content}`,i=o.get(r);i?i.push(a):o.set(r,[a])}return e.filter(a=>!o.get(`${a.kind}\
:${a.content}`)?.some(r=>Bu(a,r)))}function Bu(e,t){return Math.abs(e.x1-t.x1)<=ys&&Math.abs(e.y1-t.y1)<=ys}var Nu=400;function ks({film:e}){let{step:t,next:o}=e,[a,r]=_(""),[i,s]=_(!1);if(!t.elements.length)return n(D,{icon:"screen",title:"Nothing was read",children:"\
Perception read no text and no icon at this step."});let l=a.trim().toLowerCase(),c=l?t.elements.filter(m=>m.content.toLowerCase().includes(l)):t.elements,u=t.elements.
filter(_s).length,d=i?c:c.slice(0,Nu);return n("div",{class:"screen-panel",children:[o&&o.screen===t.screen_after&&o.screen!==t.screen&&n(Ou,{before:t.elements,
after:o.elements}),n("div",{class:"screen-panel-head",children:[n("h2",{children:[L(t.elements.length,"element")," read before the action",u>0&&`, ${u} of them \
by accessibility`]}),n(x,{icon:"layers",pressed:e.boxes,title:"Boxes on the screen (B)",onClick:()=>Mt(!e.boxes),children:"Boxes"}),n("input",{class:"field-inpu\
t",type:"search",placeholder:"Find a text","aria-label":"Find a text on the screen",value:a,onInput:m=>r(m.currentTarget.value)})]}),n("ol",{class:"element-list",
onPointerLeave:()=>We.value=null,children:d.map((m,h)=>n(Fu,{one:m,number:t.elements.indexOf(m)+1},h))}),!c.length&&n("p",{class:"quiet",children:"No element ha\
s this text."}),d.length<c.length&&n(x,{onClick:()=>s(!0),children:["Show all ",c.length]})]})}function _s(e){return e.source==="accessibility"}function Fu({one:e,
number:t}){let o=()=>{We.value=e};return n("li",{children:n("button",{type:"button",class:`element-line${We.value===e?" element-pointed":""}`,onPointerEnter:o,onFocus:o,
onBlur:()=>We.value=null,onClick:o,children:[n("span",{class:"num faint",children:t}),n("span",{class:`element-kind element-${e.kind}`,children:e.kind}),n("span",
{class:"element-text",children:[n("bdi",{children:ia(e)}),_s(e)&&n("span",{class:"element-source faint",title:"The phone told of it, by its accessibility tree",
children:"accessibility"})]}),n("span",{class:"num faint element-place",children:[e.x1,", ",e.y1," \u2013 ",e.x2,", ",e.y2]})]})})}function Ou(e){let t=r=>[...new Set(
r.map(i=>i.content).filter(Boolean))],o=t(Zt(e.before,e.after)),a=t(Zt(e.after,e.before));return!o.length&&!a.length?null:n("section",{class:"come-gone","aria-l\
abel":"What the action changed",children:[n(Ss,{icon:"plus",title:"Came",texts:a,kind:"come"}),n(Ss,{icon:"minus",title:"Went",texts:o,kind:"gone"})]})}var sa=24;
function Ss(e){let{texts:t}=e;return t.length?n("div",{children:[n("h2",{class:"come-gone-title",children:[n(y,{name:e.icon,size:12})," ",e.title]}),n("ul",{class:"\
come-gone-texts",children:[t.slice(0,sa).map(o=>n("li",{class:`come-gone-text come-gone-${e.kind}`,title:o,children:n("bdi",{children:o})},o)),t.length>sa&&n("l\
i",{class:"faint",children:["and ",t.length-sa," more"]})]})]}):null}function Es(e,t){let o=["settle",...t,...e.map(a=>a.stage)];return[...new Set(o)].map(a=>({stage:a,bars:e.filter(r=>r.stage===a)})).filter(a=>a.bars.length>0)}function Ps(e,t){
let o=Math.min(...e.map(c=>c.start)),a=Math.max(...e.map(c=>c.end)),r=Math.max(a-o,.001),i=t/r,s=Iu(r/Math.max(2,Math.floor(t/90))),l=[];for(let c=0;c*s<=r;c+=1)
l.push({at:c*s,x:c*s*i});return{start:o,seconds:r,worked:e.reduce((c,u)=>c+u.end-u.start,0),perSecond:i,ticks:l,place:c=>(c-o)*i}}function Iu(e){let t=10**Math.
floor(Math.log10(e));return([1,2,5,10].find(o=>o*t>=e)??10)*t}function la(e){let t=[`${e.stage}: ${W(e.end-e.start)}`];e.queue_ms>=1&&t.push(`of these ${W(e.queue_ms/
1e3)} in queues`);for(let[o,a]of e.away)t.push(`${W(a-o)} without a model server`);return e.assumed.length&&t.push(`began on an assumption about ${e.assumed.join(
" and ")}`),e.became==="dropped"&&t.push(`dropped${e.wrong?`, because ${e.wrong} did not end as assumed`:""}`),e.became==="discarded"&&t.push("discarded by an i\
nterruption"),e.became==="failed"&&t.push(`failed${e.error?`: ${e.error}`:""}`),t.join("; ")}var en=30,mt=18,tn=22,Qe=76,Ju=12,Ts=10;function Cs(e){let{step:t}=e.film,o=F(null),[a,r]=_(640),[i,s]=_(null);if(w(()=>{let d=o.current;if(!d)return;let m=new ResizeObserver(
()=>r(d.clientWidth));return m.observe(d),()=>m.disconnect()},[t.stages.length>0]),w(()=>s(null),[t.step]),!t.stages.length)return n(D,{icon:"clock",title:"No s\
tage has ended yet",children:"The times of a step are known once its stages have run."});let l=Es(t.stages,e.report.stage_order),c=Ps(t.stages,Math.max(120,a-Qe-
Ju)),u=tn+l.length*en+6;return n("div",{class:"gantt",ref:o,children:[n("p",{class:"gantt-sum",children:[n("strong",{children:W(c.seconds)})," from the first st\
age to the last one; together the stages worked"," ",n("strong",{children:W(c.worked)}),c.worked>c.seconds*1.02&&", so some ran beside each other","."]}),n("svg",
{class:"gantt-plot",width:a,height:u,role:"group","aria-label":"Stages of the step over time",children:[n(Xu,{}),c.ticks.map(d=>n("g",{class:"gantt-tick","aria-\
hidden":"true",children:[n("line",{x1:Qe+d.x,x2:Qe+d.x,y1:tn-4,y2:u}),n("text",{x:Qe+d.x,y:tn-9,"text-anchor":d.x<10?"start":"middle",children:W(d.at)})]},d.at)),
l.map((d,m)=>n("g",{children:[n("text",{class:"gantt-name",x:Qe-10,y:tn+m*en+en/2+4,"text-anchor":"end","aria-hidden":"true",children:d.stage.length>Ts?`${d.stage.
slice(0,Ts-1)}\u2026`:d.stage}),d.bars.map((h,p)=>n(qu,{bar:h,x:Qe+c.place(h.start),end:Qe+c.place(h.end),y:tn+m*en+(en-mt)/2,perMs:c.perSecond/1e3,place:v=>Qe+
c.place(v),isPointed:h===i,onPoint:s},p))]},d.stage))]}),n("p",{class:"gantt-said",role:"status",children:i?la(i):"Point at a bar, or move to it by Tab, to read\
 its numbers."}),n(Wu,{bars:t.stages}),n(zu,{bars:t.stages,start:c.start,pointed:i,onPoint:s})]})}function qu(e){let{bar:t,x:o,y:a}=e,r=Math.max(3,e.end-o),i=Math.
min(r,t.queue_ms*e.perMs);return n("g",{class:`bar bar-${t.became} bar-stage-${t.stage}${t.assumed.length?" bar-assumed":""}${e.isPointed?" bar-pointed":""}`,tabIndex:0,
role:"img","aria-label":la(t),onFocus:()=>e.onPoint(t),onPointerEnter:()=>e.onPoint(t),children:[n("rect",{class:"bar-room",x:o-2,y:a-4,width:r+4,height:mt+8}),
n("rect",{class:"bar-body",x:o,y:a,width:r,height:mt,rx:3}),i>1&&n("rect",{class:"bar-queue",x:o,y:a,width:i,height:mt,rx:3}),t.away.map(([s,l],c)=>n("rect",{class:"\
bar-away",x:e.place(s),y:a,width:Math.max(2,e.place(l)-e.place(s)),height:mt},c)),t.became==="dropped"&&n("line",{class:"bar-strike",x1:o,x2:o+r,y1:a+mt/2,y2:a+
mt/2})]})}function Xu(){return n("defs",{children:[n("pattern",{id:"gantt-queue",width:"6",height:"6",patternUnits:"userSpaceOnUse",patternTransform:"rotate(45)",
children:n("rect",{width:"3",height:"6",class:"pattern-queue"})}),n("pattern",{id:"gantt-away",width:"5",height:"5",patternUnits:"userSpaceOnUse",children:n("pa\
th",{d:"M0 0L5 5M5 0L0 5",class:"pattern-away"})})]})}function Wu({bars:e}){let t=[e.some(o=>o.queue_ms>1)&&{kind:"queue",text:"waited in a queue"},e.some(o=>o.
assumed.length)&&{kind:"assumed",text:"began on an assumption"},e.some(o=>o.became==="dropped")&&{kind:"dropped",text:"dropped: the assumption was wrong"},e.some(
o=>o.became==="discarded")&&{kind:"dropped",text:"discarded by an interruption"},e.some(o=>o.became==="failed")&&{kind:"failed",text:"failed"},e.some(o=>o.away.
length)&&{kind:"away",text:"no model server answered"}].filter(o=>o!==!1);return t.length?n("ul",{class:"gantt-legend","aria-label":"Legend",children:t.map(o=>n(
"li",{children:[n("svg",{width:"22",height:"12","aria-hidden":"true",children:n("g",{class:`bar bar-legend-${o.kind} ${o.kind==="queue"||o.kind==="away"?"":`bar\
-${o.kind}`}`,children:[n("rect",{class:"bar-body",x:"1",y:"1",width:"20",height:"10",rx:"2"}),o.kind==="queue"&&n("rect",{class:"bar-queue",x:"1",y:"1",width:"\
20",height:"10",rx:"2"}),o.kind==="away"&&n("rect",{class:"bar-away",x:"1",y:"1",width:"20",height:"10"}),o.kind==="dropped"&&n("line",{class:"bar-strike",x1:"1",
x2:"21",y1:"6",y2:"6"})]})}),o.text]},o.text))}):null}function zu(e){return n("div",{class:"gantt-table-room",tabIndex:0,role:"group","aria-label":"Stages as a \
table",children:n("table",{class:"gantt-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"col",children:"Stage"}),n("th",{scope:"col",class:"\
num",children:"Began"}),n("th",{scope:"col",class:"num",children:"Took"}),n("th",{scope:"col",class:"num",children:"In queues"}),n("th",{scope:"col",children:"R\
esult"})]})}),n("tbody",{children:e.bars.map((t,o)=>n("tr",{class:t===e.pointed?"gantt-row-pointed":"",onPointerEnter:()=>e.onPoint(t),children:[n("th",{scope:"\
row",class:"said",children:t.stage}),n("td",{class:"num",children:W(t.start-e.start)}),n("td",{class:"num",children:W(t.end-t.start)}),n("td",{class:"num",children:t.
queue_ms>=1?W(t.queue_ms/1e3):"\u2013"}),n("td",{children:[t.became,t.wrong&&`: ${t.wrong} ended otherwise`,t.assumed.length>0&&n("span",{class:"faint",children:[
" assumed ",t.assumed.join(", ")]}),t.error&&n(ue,{class:"gantt-error",children:t.error})]})]},o))})]})})}function Zn({name:e,isReader:t,isPaused:o}){return o?t?"You have paused the episode":`${e||"A person"} has paused the episode`:t?"You have the phone":`${e||"A p\
erson"} has the phone`}function Ms({report:e,film:t,person:o}){let{step:a,previous:r}=t,i=na(a);return n("div",{class:"step-panel",children:[i.length>0&&n("ul",{class:"problems","aria\
-label":"Problems of this step",children:i.map((s,l)=>n("li",{class:`problem problem-${s.tone}`,children:[n(y,{name:s.tone==="quiet"?"info":"warning"}),n("div",
{children:[n("strong",{children:[s.title,"."]}),s.text&&n(ue,{children:s.text})]})]},l))}),n(Du,{report:e,film:t,person:o}),a.thought&&n(Gt,{label:"Thought",children:n(
ue,{children:a.thought})}),n(eo,{label:"Subgoal",report:e,index:t.index,part:"subgoal"}),n(eo,{label:"Plan",report:e,index:t.index,part:"plan"}),n(eo,{label:"Pr\
ogress",report:e,index:t.index,part:"progress"}),n(eo,{label:"Notes",report:e,index:t.index,part:"notes"}),a.findings.some(s=>!s.is_problem)&&n(Gt,{label:"What \
stages found",children:a.findings.map((s,l)=>!s.is_problem&&n(ue,{children:`${s.stage}: ${s.text}`},l))}),a.rubrics_held.length>0&&n(Gt,{label:"Milestones that \
held after the step",children:n("ul",{class:"step-rubrics",children:a.rubrics_held.map(s=>n("li",{children:[n(y,{name:r?.rubrics_held.includes(s)?"check":"plus",
size:12}),n("span",{class:"said",children:s})]},s))})}),n("p",{class:"step-facts faint",children:[a.model_calls," model ",a.model_calls===1?"call":"calls"," \xB7 ",
ve(a.input_tokens)," tokens in \xB7"," ",ve(a.output_tokens)," tokens out",a.app&&n(f,{children:[" \xB7 ",n("bdi",{class:"mono said",children:a.app})]})]})]})}function eo({
label:e,report:t,index:o,part:a}){let r=o===0?void 0:t.steps.slice(0,o).findLast(i=>i[a])?.[a]??"";return n(qi,{label:e,text:t.steps[o]?.[a]||(r??""),before:r})}
function Du({report:e,film:t,person:o}){let{step:a}=t,r=zn(a),i=!a.action&&t.index===t.count-1&&!de(e);return n("section",{class:"action-card","aria-label":"Act\
ion",children:[n("div",{class:"action-card-head",children:[n("span",{class:"action-card-words said",dir:"auto",children:i?o?Zn(o):"The step is under way":Te(a)}),
a.by_person&&n(z,{tone:"accent",icon:"hand",title:"A person had taken the episode over.",children:n("bdi",{class:"clip",children:["by ",a.by_person]})}),a.outcome?
n(zr,{verdict:a.outcome}):a.action&&n(z,{children:"no verdict"}),a.judged_by==="rule"&&n("span",{class:"faint",children:["by the rule ",n("span",{class:"said",children:a.
rule})]}),a.judged_by==="agent"&&n("span",{class:"faint",children:["by the reply of step ",a.step+1]})]}),a.typed_text&&n("p",{class:"action-card-row",children:[
n("span",{class:"faint",children:"Typed"}),n("span",{class:"said",children:a.typed_text})]}),a.expectation&&n("p",{class:"action-card-row",children:[n("span",{class:"\
faint",children:"Expected"}),n("span",{class:"said",children:a.expectation})]}),r&&n("p",{class:"action-card-row",children:[n("span",{class:"faint",children:"Pl\
aces"}),n("span",{class:"said",children:r})]})]})}function Rs(e){let{film:t}=e,o={screen:t.step.elements.length,calls:t.step.calls.length};return n("div",{class:"film-panel",children:[n("div",{class:"film-tabs",
children:n(Zi,{label:"About the step",panel:"film-tab-panel",current:t.tab,onChange:a=>jn(Ct.find(r=>r===a)??"step"),tabs:Ct.map(a=>{let r=o[a];return{id:a,title:Yt[a],
...r?{count:r}:{}}})})}),n("div",{id:"film-tab-panel",class:"film-tab-panel",role:"tabpanel","aria-label":Yt[t.tab],tabIndex:0,children:n(Hu,{...e})})]})}function Hu({
report:e,film:t,source:o,live:a}){switch(t.tab){case"screen":return n(ks,{film:t});case"timing":return n(Cs,{report:e,film:t,live:a});case"calls":return n(ds,{film:t,
source:o});case"log":return n(hs,{report:e,film:t,source:o});default:return n(Ms,{report:e,film:t,person:a?.person})}}function As({screen:e,source:t}){let o=e?[t.pictureUrl(e,"small"),t.pictureUrl(e,"full")]:[],a=Et(t.reach,o.filter(r=>r!==null));return a.url?n("img",{src:a.url,
alt:"",loading:"lazy",decoding:"async",draggable:!1,onError:a.onError}):n(y,{name:"image"})}var Uu=92,$s=8,Ls=6;function Bs(e){let{report:t,film:o,source:a}=e,{steps:r}=t,i=ju(r[0])+$s,s=F(null),[l,c]=_({from:0,to:24}),[u,d]=_(null),m=()=>{let p=s.current;
if(!p)return;let v=Math.max(0,Math.floor(p.scrollLeft/i)-Ls),g=Math.min(r.length,Math.ceil((p.scrollLeft+p.clientWidth)/i)+Ls);c(S=>S.from===v&&S.to===g?S:{from:v,
to:g})};re(()=>{let p=s.current;if(!p)return;let v=o.index*i-(p.clientWidth-i)/2,g=Math.abs(v-p.scrollLeft)>2*p.clientWidth;p.scrollTo({left:v,behavior:g||Vu()?
"instant":"smooth"}),m()},[o.index,r.length,i]),w(()=>{let p=new ResizeObserver(m);return s.current&&p.observe(s.current),()=>p.disconnect()},[r.length,i]);let h=(p,v)=>{
let g=v.getBoundingClientRect();d({index:p,left:g.left+g.width/2,top:g.bottom})};return n("div",{class:"strip",ref:s,onScroll:()=>{m(),d(null)},onPointerLeave:()=>d(
null),children:[n("ol",{class:"strip-track",style:{width:`${r.length*i}px`},"aria-label":"Steps",children:r.slice(l.from,l.to).map((p,v)=>{let g=l.from+v;return n(
"li",{class:"strip-place",style:{left:`${g*i}px`},"aria-setsize":r.length,"aria-posinset":g+1,children:n(Ku,{step:p,source:a,width:i-$s,isShown:g===o.index,onShow:()=>$e(
t,g),onPoint:S=>h(g,S)})},p.step)})}),u&&r[u.index]&&n(Yu,{step:r[u.index],source:a,left:u.left,top:u.top})]})}function Vu(){return matchMedia("(prefers-reduced\
-motion: reduce)").matches}function ju(e){let t=e?.width&&e.height?e.width/e.height:.45;return Math.round(Math.min(132,Math.max(42,Uu*t)))}function Ku(e){let{step:t,
source:o}=e,a=Gu(t);return n("a",{class:`strip-step strip-${t.outcome??"none"}${e.isShown?" strip-shown":""}`,style:{width:`${e.width}px`},href:Un(t.step),"aria\
-current":e.isShown?"step":void 0,onClick:r=>{r.ctrlKey||r.metaKey||r.shiftKey||r.button||(r.preventDefault(),e.onShow())},onPointerEnter:r=>r.pointerType==="mo\
use"&&e.onPoint(r.currentTarget),children:[n("span",{class:"strip-foot",children:[n("span",{class:"unseen",children:"Step "}),t.step,t.outcome&&n("span",{class:"\
strip-letter",children:[t.outcome,n("span",{class:"unseen",children:[": ",dt[t.outcome]]})]}),n("span",{class:"unseen",children:[". ",Te(t)]})]}),n("span",{class:"\
strip-picture",children:[n(As,{screen:t.screen,source:o}),a.length>0&&n("span",{class:"strip-marks",children:a.map(r=>n("span",{class:`strip-mark strip-mark-${r.
tone}`,title:r.text,children:n(y,{name:r.icon,size:10,label:r.text})},r.text))})]})]})}function Gu(e){let t=[];return(e.failures.length||e.problem)&&t.push({icon:"\
warning",tone:"bad",text:"something failed"}),e.wrong_page!=null&&t.push({icon:"left",tone:"warn",text:"a wrong page, the agent went back"}),e.resumed.length&&t.
push({icon:"retry",tone:"accent",text:"interrupted and resumed"}),e.by_person&&t.push({icon:"hand",tone:"accent",text:"a person's action"}),t}function Yu(e){let{
step:t,source:o}=e,a=t.screen?o.pictureUrl(t.screen,"full"):null,r=130;return n("div",{class:"strip-magnified",style:{left:`${Math.min(Math.max(e.left,r),innerWidth-
r)}px`,top:`${e.top+6}px`},"aria-hidden":"true",children:[a&&n("img",{src:a,alt:""}),n("span",{class:"strip-magnified-words",children:[n("strong",{children:["St\
ep ",t.step]}),t.outcome&&` \xB7 ${dt[t.outcome]}`,n("span",{class:"said",children:Te(t)})]})]})}function Ns({live:e}){let[t,o]=_(Date.now()/1e3);return w(()=>{let a=setInterval(()=>o(Date.now()/1e3),500);return()=>clearInterval(a)},[]),n("section",{class:"\
live","aria-label":"Now",children:[e.connection==="lost"&&n("p",{class:"live-lost",role:"alert",children:[n(y,{name:"warning"})," The connection is lost. The pa\
ge connects again by itself and then shows what it missed."]}),n("p",{class:"live-stages",children:[n("span",{class:`live-dot${e.connection==="open"?" live-dot-\
on":""}`,"aria-hidden":"true"}),e.person?n("span",{class:"said",children:Qu(e.person,t)}):e.stages.length?e.stages.map(a=>n("span",{class:"live-stage",children:[
n("span",{class:`live-colour live-${a.stage}`,"aria-hidden":"true"}),a.stage," ",n("span",{class:"faint",children:["step ",a.step]})," ",n("span",{class:"live-s\
econds",children:W(Math.max(0,Math.round(10*(t-a.since))/10))})]},`${a.step} ${a.stage}`)):n("span",{class:"quiet",children:"Between two stages"})]}),e.writing?.
text&&n("p",{class:"live-writing",children:[n("span",{class:"faint",children:[e.writing.agent," writes"]})," ",n("span",{class:"said",children:e.writing.text.slice(
-400)})]})]})}function Qu(e,t){let o=i=>W(Math.max(0,Math.round(i))),a=e.since===null?"":` for ${o(t-e.since)}`,r=e.endsAt===null?"":` Without another action, ${e.
isByHand?"it is free again":"the agent gets it back"} in ${o(e.endsAt-t)}.`;return`${Zn(e)}${a}.${r}`}function ca({step:e,width:t}){let o=t/100,a=e.touches.length>1;return n("g",{class:`action ${e.by_person?"action-person":""}`,children:e.touches.map((r,i)=>n("g",
{children:[Qo(r)?n(ep,{touch:r,unit:o}):n(Zu,{step:e,touch:r,unit:o}),a&&n(tp,{touch:r,unit:o,number:i+1})]},i))},e.step)}function Zu({step:e,touch:t,unit:o}){let a={
cx:t.x1,cy:t.y1};return n(f,{children:[n("circle",{class:"action-pulse",...a,r:4.2*o}),n("circle",{class:"action-case",...a,r:4.2*o}),n("circle",{class:"action-\
ring",...a,r:4.2*o}),e.action_kind==="Long_Press"&&n("circle",{class:"action-ring",...a,r:6.4*o}),n("circle",{class:"action-dot",...a,r:1.3*o})]})}function ep({
touch:e,unit:t}){let{x1:o,y1:a,x2:r,y2:i}=e,s=Math.atan2(i-a,r-o),l=d=>{let m=s+Math.PI-d;return`${r+Math.cos(m)*6*t} ${i+Math.sin(m)*6*t}`},c=`M${o} ${a}L${r} ${i}`,
u=`M${l(.5)}L${r} ${i}L${l(-.5)}`;return n(f,{children:[n("path",{class:"action-case",d:c}),n("path",{class:"action-case",d:u}),n("path",{class:"action-ring",d:c}),
n("path",{class:"action-ring",d:u}),n("path",{class:"action-flow",d:c,pathLength:100}),n("circle",{class:"action-case",cx:o,cy:a,r:2.6*t}),n("circle",{class:"ac\
tion-start",cx:o,cy:a,r:2.6*t})]})}function tp({touch:e,unit:t,number:o}){return n("text",{class:"action-number",x:e.x1+5*t,y:e.y1-4*t,"font-size":5*t,children:o})}
function Fs({step:e}){let t=Fi(e);return!t&&!e.typed_text&&!e.by_person?null:n("div",{class:"action-caption",children:[e.by_person&&n("span",{class:"action-chip\
 action-by",children:[n(y,{name:"hand",size:12}),n("bdi",{class:"clip",children:e.by_person})]}),e.typed_text&&n("span",{class:"action-typed",children:[n(y,{name:"\
keyboard",size:14,label:"typed"}),n("span",{class:"said",children:e.typed_text})]}),t&&n("span",{class:"action-chip said",children:t})]})}function nn(e){let{screen:t,size:o}=e,a=e.source.pictureUrl(t,"full"),r=Et(e.source.reach,a===null?[]:[a]);return n("div",{class:`shot ${e.class??""}`,style:{"-\
-ratio":String(o[0]/o[1])},children:[r.url?n("img",{class:"shot-picture",src:r.url,alt:e.label,width:o[0],height:o[1],decoding:"async",draggable:!1,onError:r.onError}):
n("div",{class:"shot-missing",role:"img","aria-label":e.label,children:[n(y,{name:"image",size:24}),n("span",{children:np(a,r)})]}),e.marks&&n("svg",{class:"sho\
t-marks",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:e.marks}),e.children]})}function np(e,t){return e?t.isMissing?"T\
his screen could not be loaded.":"This screen is loaded as soon as it can be reached.":"This report was made without screens."}function Os(e,t){let o=t.filter(Boolean).
join(" ");w(()=>{let a=o.split(" ").filter(Boolean).map(r=>{let i=new Image,s=e.pictureUrl(r,"full");return s&&(i.src=s),i});return()=>a.splice(0)},[o,e])}var op=300,on=new Map;function Is(e,t,o){let{screen:a,screen_after:r}=t,i=a&&r?`${a} ${r}`:"",[s,l]=_(null);return w(()=>{if(!a||!r||on.has(i))return;let c=!0,u=d=>{
on.size>op&&on.clear(),on.set(i,d),c&&l({pair:i,changes:d})};return ap(e,t,o).then(u,()=>{}),()=>{c=!1}},[i,e,o?.elements.length]),i?on.get(i)??(s?.pair===i?s.changes:
null):null}async function ap(e,t,o){let{screen:a,screen_after:r}=t;if(a===r)return{places:[],share:0,by:"pixels"};let i=[a,r].map(l=>l?e.pictureUrl(l,"full"):null);
if(i[0]&&i[1]){let[l,c]=await Promise.all([lt(e.reach,i[0]),lt(e.reach,i[1])]),u=l&&c&&bs(l,c);if(u)return u}let s=o&&o.screen===r?o.elements:null;if(!s||!t.elements.
length)throw new Error("nothing to compare");return xs(t.elements,s,[t.width??1,t.height??1])}var rp=.5;function qs(e){let{film:t,source:o}=e,{step:a,next:r}=t;Os(o,[r?.screen,r?.screen_after,t.previous?.screen]);let i=Is(o,a,r),s={...e,changes:i},l=a.screen_after?
n(ip,{...s}):n(zs,{children:e.missing});return t.view==="slider"&&a.screen&&a.screen_after?n(sp,{...s}):t.view!=="side"?n("div",{class:"stage stage-one",children:t.
face==="after"?l:n(Js,{...s})}):n("div",{class:"stage stage-side",children:[n(Js,{...s}),l]})}function da(e,t,o){return e.sizes?.[t]??[o.step.width??1080,o.step.
height??2400]}function Js({report:e,film:t,source:o}){let{step:a}=t;if(!a.screen)return n(zs,{children:"No screen was taken at this step."});let r=da(e,a.screen,
t);return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:wt(
a.taken_at)}),a.app&&n("bdi",{class:"clip faint mono",children:a.app})]}),n("div",{class:"shot-room",children:n(nn,{source:o,screen:a.screen,size:r,label:`Scree\
n before the action of step ${a.step}`,marks:n(f,{children:[n(aa,{elements:a.elements,all:t.boxes}),n(ca,{step:a,width:r[0]})]}),children:[n(ra,{elements:a.elements,
size:r}),n(Fs,{step:a})]})})]})}function ip({report:e,film:t,source:o,changes:a}){let{step:r,next:i}=t,s=r.screen_after,l=da(e,s,t),c=i?.screen===s?i.elements:[],
u=i?.taken_at!=null&&r.taken_at!=null&&i.screen===s?i.taken_at-r.taken_at:null;return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-ca\
ption",children:[n("strong",{children:"After"}),u!==null&&n("span",{class:"faint",children:["+",W(u)]}),n(Ws,{step:t,changes:a})]}),n("div",{class:"shot-room",children:n(
nn,{source:o,screen:s,size:l,label:`Screen after the action of step ${r.step}`,marks:n(f,{children:[t.changes&&n(Xs,{changes:a}),n(aa,{elements:c,all:t.boxes})]}),
children:n(ra,{elements:c,size:l})})})]})}function Xs({changes:e}){return!e||e.share>rp?null:n("g",{children:e.places.map((t,o)=>n("rect",{class:"change",x:t.x1,
y:t.y1,width:t.x2-t.x1,height:t.y2-t.y1,rx:8},o))})}function Ws({step:e,changes:t}){if(e.step.screen===e.step.screen_after)return n("span",{class:"stage-same",children:"\
the same picture"});if(!t)return null;if(!t.places.length)return n("span",{class:"stage-same",children:"no change to see"});let o=t.share<.01?"under 1\xA0%":ke(
t.share);return n("span",{class:"faint",title:t.by==="elements"?"Found from what was read off the screens.":void 0,children:[o," changed"]})}function sp(e){let{
report:t,film:o,source:a,changes:r}=e,{step:i}=o,[s,l]=_(50),c=da(t,i.screen,o);return n("div",{class:"stage stage-one",children:n("figure",{class:"stage-figure",
children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:"left of the line,"}),n("strong",{children:"\
after"}),n("span",{class:"faint",children:"right of it"}),n(Ws,{step:o,changes:r})]}),n("div",{class:"shot-room",children:n(nn,{source:a,screen:i.screen_after,size:c,
label:`Screen after the action of step ${i.step}`,marks:o.changes&&n(Xs,{changes:r}),children:[n("div",{class:"slider-before",style:{clipPath:`inset(0 ${100-s}%\
 0 0)`},children:n(nn,{source:a,screen:i.screen,size:c,label:`Screen before the action of step ${i.step}`,marks:n(ca,{step:i,width:c[0]})})}),n("div",{class:"sl\
ider-line",style:{left:`${s}%`},"aria-hidden":"true",children:n("span",{class:"slider-knob",children:[n(y,{name:"left",size:12}),n(y,{name:"right",size:12})]})}),
n("input",{class:"slider-input",type:"range",min:0,max:100,value:s,"aria-label":"How much of the screen before is shown","aria-valuetext":`${s} percent before, ${100-
s} percent after`,onInput:u=>l(Number(u.currentTarget.value)),onKeyDown:u=>/^(Arrow|Home|End|Page)/.test(u.key)&&u.stopPropagation()})]})})]})})}function zs({children:e}){
return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:n("strong",{children:"After"})}),n("div",{class:"stage-none",children:e})]})}
function Ds(e,t,o){return`${`Step ${t.step.step} ${Qt(e)}`.trim()}: ${Te(t.step)}${o&&`, ${o}`}`}var lp=460,cp=400,to=12;function Hs(e,t,o){re(()=>{let a=e.current;if(!a)return;let r=()=>{let s=a.querySelector(".film-reel"),l=o?a.querySelector(".film-head"):
s,c=Math.min(lp,dp(l??a)+to);a.style.setProperty("--stage-height",`${Math.max(cp,innerHeight-c-to)}px`),a.style.setProperty("--reel",o?"0px":`${(s?.offsetHeight??
0)+to}px`)},i=new ResizeObserver(r);for(let s of a.querySelectorAll(".film-head, .film-reel"))i.observe(s);return addEventListener("resize",r),r(),()=>{i.disconnect(),
removeEventListener("resize",r)}},[e,t,o])}function dp(e){let t=e.closest(".film")??e,o=t.querySelector(".film-head");return t.getBoundingClientRect().top+scrollY+
(o?.offsetHeight??0)+(e===o?0:to+e.offsetHeight)}function ua(e){let{source:t,live:o}=e,a=H(()=>o?e.report:Oi(e.report),[e.report,o!==void 0]),r=F(""),i=Hi(a,r.current===a.episode.id);i?.isFollowing&&(r.current=
a.episode.id);let s=Ki(a,i,t),[l,c]=_({step:-1,words:""});Qi(a,i,s,m=>c({step:i?.step.step??-1,words:m}));let u=F(null),d=!!e.surface;return Hs(u,i!==null,d),n(
"article",{class:`film${d?" film-taken":""}`,ref:u,children:[n(Yi,{report:a,person:o?.person,tools:e.tools}),n(Vi,{report:a}),i?n(f,{children:[n("section",{class:"\
film-reel panel","aria-label":"Film",children:[o&&!de(a)&&n(Ns,{live:o}),!o&&kr(t.reach)&&n(Ai,{}),n(Bs,{report:a,film:i,source:t}),n(Gi,{report:a,film:i,player:s,
note:l.step===i.step.step?l.words:""})]}),n("section",{class:"film-stage","aria-label":"Screens of the step",children:e.surface??n(f,{children:[n(pp,{film:i}),n(
"div",{class:"film-stage-room",children:n(qs,{report:a,film:i,source:t,missing:n(mp,{report:a,film:i})})})]})}),n(Rs,{report:a,film:i,source:t,live:o}),n("p",{class:"\
unseen","aria-live":"polite",children:Ds(a,i,i.step.outcome?dt[i.step.outcome]:"")})]}):e.surface??n(D,{icon:"image",title:de(a)?"No step was taken":"No step ye\
t",children:de(a)?"The episode ended before its first screen was taken.":"The first screen appears as soon as the phone has sent it."})]})}var up={side:"Side by\
 side",slider:"Slider",one:"One screen"};function pp({film:e}){return n("div",{class:"film-stage-tools",role:"group","aria-label":"How screens are shown",children:[
n("div",{class:"segments",title:"Layout (V)",children:pt.map(t=>n(x,{kind:"quiet",pressed:e.view===t,onClick:()=>Kn(t),children:up[t]},t))}),n(x,{icon:"layers",
pressed:e.boxes,title:"Boxes of what was read (B)",onClick:()=>Mt(!e.boxes),children:"Boxes"}),n(x,{icon:"filter",pressed:e.changes,title:"Mark what changed (D)",
onClick:()=>Gn(!e.changes),children:"Changes"})]})}function mp({report:e,film:t}){let o=t.index===t.count-1;return o&&!de(e)?n("span",{children:"The step is und\
er way."}):t.step.action?n("span",{children:o?"The episode ended before another screen was taken.":"No screen was taken after the action."}):n("span",{children:"\
No action was sent at this step."})}var Us={least:100,most:2e3};function Vs(e,t,o,a){if(Math.hypot(t.x-e.x,t.y-e.y)<=.02*a)return o>=500?{name:"Long_Press",...e,ms:Math.min(5e3,Math.round(o))}:{name:"\
Tap",...e};let r=Math.round(Math.min(Us.most,Math.max(Us.least,o)));return{name:"Swipe",x1:e.x,y1:e.y,x2:t.x,y2:t.y,ms:r}}function js(e,t,o){let a=(r,i,s,l)=>Math.
min(l-1,Math.max(0,Math.floor((r-i)/Math.max(1,s)*l)));return{x:a(e.x,t.left,t.width,o[0]),y:a(e.y,t.top,t.height,o[1])}}function Ks(e,[t,o]){let[a,r,i]=[.25,.5,
.75],s={up:[r,i,r,a],down:[r,a,r,i],left:[i,r,a,r],right:[a,r,i,r]},[l,c,u,d]=s[e].map((m,h)=>Math.round(m*(h%2?o:t)));return{name:"Swipe",x1:l??0,y1:c??0,x2:u??
0,y2:d??0,ms:400}}var fp=[{name:"Back",words:"Back"},{name:"Home",words:"Home"},{name:"Switch_App",words:"Apps"},{name:"Enter",words:"Enter"}],hp=[{to:"up",icon:"up"},{to:"down",
icon:"down"},{to:"left",icon:"left"},{to:"right",icon:"right"}],gp={name:"Wait",seconds:.1};function Gs({size:e,text:t,setText:o,isBusy:a,mayRefresh:r,onAct:i}){
let[s,l]=_(!1),c=async u=>{u.preventDefault(),!(!t||a)&&await i({name:"Type",text:t,clear:s})&&o(d=>d===t?"":d)};return n("div",{class:"phone-buttons",children:[
n("div",{class:"phone-row",role:"group","aria-label":"Keys of the phone",children:[fp.map(u=>n(x,{disabled:a,onClick:()=>{i({name:u.name})},children:u.words},u.
name)),hp.map(u=>n(x,{icon:u.icon,kind:"quiet",label:`Swipe ${u.to}`,disabled:a,onClick:()=>{i(Ks(u.to,e))}},u.to)),n(x,{icon:"retry",kind:"quiet",label:"Take t\
he screen anew",disabled:!r,onClick:()=>{i(gp)}})]}),n("form",{class:"phone-row",onSubmit:u=>{c(u)},children:[n("input",{class:"phone-text","aria-label":"Text t\
o type on the phone",placeholder:"Text to type",value:t,autocomplete:"off",spellcheck:!1,onInput:u=>{let d=u.currentTarget.value;o(()=>d)},onKeyDown:u=>u.key===
"Escape"&&o(()=>"")}),n("label",{class:"phone-clear",children:[n("input",{type:"checkbox",checked:s,onChange:u=>l(u.currentTarget.checked)})," empty the field f\
irst"]}),n(x,{type:"submit",disabled:a||!t,children:"Type"})]})]})}var vp=700,pa="The text did not come to the phone. Enter sends it again, Escape drops it.",yp="The text was sent first, and the screen has changed. Look at it, \
and do that again.";function Ys(e,t,o){let[a,r]=_(""),[i,s]=_(""),[l,c]=_(""),[u,d]=_(null),m=async()=>{if(e===null)return!1;c(""),r(""),s(a);let g=await o({name:"\
Type",text:a,clear:!1},e);return s(""),g||(r(S=>a+S),c(pa)),g};w(()=>{if(!a||t||u||l===pa)return;let g=setTimeout(()=>{m()},vp);return()=>clearTimeout(g)},[a,t,
u,l]),w(()=>{if(!u||t||e===null)return;let{action:g,seen:S,answer:N}=u;d(null),bp(g)&&S!==e?(c(yp),N(!1)):o(g,e).then(N)},[u,t,e]);let h=async(g,S)=>g.name==="W\
ait"||!a?(c(N=>a?N:""),await o(g,S)):await m()?await new Promise(N=>d({action:g,seen:S,answer:N})):!1,p=g=>{r(g),g||c("")},v=()=>{a&&!t&&l!==pa&&m()};return{typed:a,
shown:i+a,note:l,edit:p,send:m,leave:v,act:h}}function bp(e){return e.name==="Tap"||e.name==="Long_Press"||e.name==="Swipe"}var wp="No field has the focus: what you type goes nowhere. Tap a field first; Escape drops the text.",Sp="No field had the focus: the text went nowhere. Tap a \
field first.";function ma(e){let{picture:t,size:o}=e,[a,r]=_(null),[i,s]=_(null),[l,c]=_(null),[u,d]=_(""),m=F(null),h=e.isBusy||e.screen===null||l!==e.screen,[
p,v]=_(!1),g=async(R,ae)=>{let Ce=R.name==="Type"&&!e.hasField;v(!1);let Ze=await e.onAct(R,ae);return v(Ze&&Ce),Ze},S=Ys(e.screen,h,g),N=R=>js({x:R.clientX,y:R.
clientY},m.current.getBoundingClientRect(),o),O=R=>{if(h||e.screen===null||R.button)return;m.current?.setPointerCapture(R.pointerId);let ae=N(R);s(null),r({from:ae,
to:ae,at:performance.now(),seen:e.screen})},U=R=>{a&&(r(null),S.act(Vs(a.from,N(R),performance.now()-a.at,o[0]),a.seen))},V=async R=>e.screen!==null&&await S.act(
R,e.screen),$=R=>{R.ctrlKey||R.metaKey||R.altKey||R.key==="Tab"||!_p(R,{cross:i,typing:S,size:o,isBusy:h,setCross:s,onAct:V})||(R.preventDefault(),R.stopPropagation())};
return n("div",{class:"phone",onFocusOut:R=>!R.currentTarget.contains(R.relatedTarget)&&S.leave(),children:[n("div",{class:"shot-room phone-room",children:n("di\
v",{ref:m,class:`shot phone-screen${h?" phone-busy":""}`,style:{"--ratio":String(o[0]/o[1])},role:"application",tabIndex:0,"aria-label":"The phone's screen. Arr\
ow keys move a cross, Enter taps at it, Shift and Enter press long. Letters are typed.","aria-busy":h,onPointerDown:O,onPointerMove:R=>a&&r({...a,to:N(R)}),onPointerUp:U,
onPointerCancel:()=>r(null),onContextMenu:R=>R.preventDefault(),onKeyDown:$,children:[t?n("img",{class:"shot-picture",src:t,alt:"",width:o[0],height:o[1],draggable:!1,
onLoad:()=>c(e.screen)}):n("div",{class:"shot-missing",children:"Waiting for the phone's screen"}),n("svg",{class:"shot-marks",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"\
none","aria-hidden":"true",children:[a&&n(Ep,{drag:a,unit:o[0]/100}),i&&n(Pp,{at:i,unit:o[0]/100})]}),S.shown&&n("p",{class:"phone-typed",children:[n(y,{name:"k\
eyboard",size:14})," ",n("span",{class:"said",children:S.shown})]}),h&&t&&n("p",{class:"phone-wait",children:e.isBusy?"The phone carries out the action\u2026":"\
The new screen is on its way\u2026"})]})}),n("div",{class:"phone-result",role:"status",children:[e.problem?n("p",{class:"phone-problem",children:e.problem}):e.result&&
n("p",{children:e.result}),S.note&&n("p",{children:S.note}),!e.hasField&&(S.shown||u)&&n("p",{class:"phone-problem",children:wp}),p&&!S.shown&&!u&&n("p",{class:"\
phone-problem",children:Sp})]}),n(Gs,{size:o,text:u,setText:d,isBusy:h,mayRefresh:!e.isBusy&&e.screen!==null,onAct:V})]})}var kp={ArrowLeft:[-1,0],ArrowRight:[1,
0],ArrowUp:[0,-1],ArrowDown:[0,1]};function _p(e,t){let[o,a]=t.size,r=kp[e.key];if(r){let i=o*(e.shiftKey?.005:.03),s=t.cross??{x:o/2,y:a/2},l=(c,u)=>Math.round(
Math.min(u-1,Math.max(0,c)));return t.setCross({x:l(s.x+r[0]*i,o),y:l(s.y+r[1]*i,a)}),!0}if(e.key==="Escape"){let i=t.typing.typed!==""||t.cross!==null;return t.
typing.edit(""),t.setCross(null),i}return e.key==="Enter"?(t.isBusy||(t.typing.typed?t.typing.send():t.cross?t.onAct(e.shiftKey?{name:"Long_Press",...t.cross,ms:800}:
{name:"Tap",...t.cross}):t.onAct({name:"Enter"})),!0):e.key==="Backspace"?(t.typing.edit([...t.typing.typed].slice(0,-1).join("")),!0):[...e.key].length!==1?!1:
(t.typing.edit(t.typing.typed+e.key),!0)}function Ep({drag:e,unit:t}){let{from:o,to:a}=e,r=Math.hypot(a.x-o.x,a.y-o.y)>2*t;return n("g",{class:"action action-pe\
rson",children:[r&&n("path",{class:"action-case",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),r&&n("path",{class:"action-ring",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),n("circl\
e",{class:"action-case",cx:o.x,cy:o.y,r:4*t}),n("circle",{class:"action-ring",cx:o.x,cy:o.y,r:4*t}),!r&&n("circle",{class:"phone-hold",cx:o.x,cy:o.y,r:6.5*t,pathLength:100,
style:{animationDuration:`${500}ms`}})]})}function Pp({at:e,unit:t}){let o=`M${e.x-6*t} ${e.y}h${12*t}M${e.x} ${e.y-6*t}v${12*t}`;return n("g",{class:"action ac\
tion-person",children:[n("path",{class:"action-case",d:o}),n("path",{class:"action-ring",d:o})]})}function no(){return Array.from(crypto.getRandomValues(new Uint8Array(16)),e=>e.toString(16).padStart(2,"0")).join("")}var Tp=3e3,fa=class{state=M(null);pending=M(null);problem=M(null);result=M(null);#t;#e;#n=!1;constructor(t){this.#t=`/episodes/${P(t)}`}open(){let t=Me({onOpen:()=>{
this.#o()},onEvent:o=>{(o.kind.startsWith("episode.")||o.kind==="task.ended")&&this.#o()}});return this.#o(),()=>{t(),this.#n=!0,clearTimeout(this.#e)}}reload(){
this.#o()}async ask(t){if(this.pending.value!==null)return;this.pending.value=t,this.problem.value=null,this.result.value=null;let o=performance.now();try{let a=await q(
"POST",`${this.#t}:${t}`);this.state.value=a,this.result.value=Cp[t]((performance.now()-o)/1e3,a.is_by_hand)}catch(a){this.problem.value=G(a),this.#o()}finally{
this.pending.value=null}}async act(t,o){if(this.pending.value!==null)return!1;this.pending.value="action",this.problem.value=null,this.result.value=null;try{let a={
"Idempotency-Key":no()},r=await this.#a({method:"POST",headers:a,body:{screen:t,action:o}});if(this.state.value=r.control,r.status==="done")return!0;let i=r.detail||
"Only the screen can tell what came of it.";return this.problem.value={type:"about:blank",title:`${o.name}: ${r.status}`,status:200,detail:i,mistakes:[]},!1}catch(a){
return this.problem.value=G(a),this.#o(),!1}finally{this.pending.value=null}}async#a(t){try{return await(await le(`${this.#t}/actions`,t)).json()}catch(o){if(G(
o).status!==0&&G(o).status!==503)throw o;return await(await le(`${this.#t}/actions`,t)).json()}}async#o(){clearTimeout(this.#e);try{let t=await A(`${this.#t}/co\
ntrol`);this.pending.value===null&&(this.state.value=t)}catch{}!this.#n&&this.state.value?.phase!=="ended"&&(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#o()},
Tp))}},Cp={pause:()=>"Paused. No further action is sent.",resume:(e,t)=>t?"Resumed.":"Resumed. The agent goes on.",stop:e=>`Stopped, after ${e.toFixed(1)} s. No\
thing more is sent to the phone.`,"take-over":()=>"You have the phone. Tap, swipe and type on the picture.","hand-back":(e,t)=>t?"Handed back. The phone is free\
 again.":"Handed back. The agent goes on from this screen."};function Qs(e){let t=H(()=>new fa(e),[e]);return w(()=>t.open(),[t]),t}var Mp=1e3,Rp=3e3,Ap=2,ha=class{report=M(null);problem=M(null);#t;#e=new AbortController;#n;#a=null;#o=!1;constructor(t){this.#t=t}open(){let t=Me({onOpen:()=>this.#r(
0),onEvent:o=>{o.task!=null&&o.task===this.report.value?.episode.task&&this.#r(0)}});return document.addEventListener("visibilitychange",this.#i),this.#r(0),()=>{
t(),document.removeEventListener("visibilitychange",this.#i),clearTimeout(this.#n),this.#e.abort()}}reload=()=>this.#r(0);#i=()=>{document.hidden||this.#r(0)};#r(t){
this.#e.signal.aborted||(clearTimeout(this.#n),this.#n=setTimeout(()=>{this.#s()},t))}async#s(){if(this.#o)return;this.#o=!0;let t=Mp;try{await this.#l(),this.problem.
value=null}catch(a){if(this.#e.signal.aborted||(this.problem.value=G(a),t=Rp,this.problem.value.status===404&&this.report.value===null))return}finally{this.#o=!1}
!(this.report.value?.episode.ended_at!=null)&&!document.hidden&&this.#r(t)}async#l(){let t=this.report.value?.steps??[],o=t.at(-Ap)?.step??0,a={};this.#a?.from===
o&&(a["If-None-Match"]=this.#a.value);let r={query:{from:o},headers:a,signal:this.#e.signal},i=await le(`/episodes/${P(this.#t)}/report`,r);if(i.status===304)return;
let s=i.headers.get("ETag"),l=await i.json(),c=t.filter(d=>d.step<(l.first_step??0)),u={...this.report.value?.sizes,...l.sizes};this.report.value={...l,steps:[...c,
...l.steps??[]],sizes:u,first_step:0},this.#a=s===null?null:{from:o,value:s}}};function Zs(e){let t=H(()=>new ha(e),[e]);return w(()=>t.open(),[t]),t}var $p=180;function el(e){let t=`/episodes/${P(e)}`;return{pictureUrl:(o,a)=>fe(`${t}/screens/${P(o)}`,a==="small"?{width:$p}:{}),loadCalls:o=>zt(Dt,()=>A(`${t}\
/steps/${o}/calls`)),reach:Dt}}var Lp=1e3;function tl(e,t){let o=E(null);return w(()=>{if(o.value=null,!t)return;let a=new AbortController,r,i=async()=>{if(!document.hidden)try{let{calls:s}=await A(
`/episodes/${P(e)}/writing`,{},a.signal);o.value=s.at(-1)??null}catch{o.value=null}a.signal.aborted||(r=setTimeout(()=>{i()},Lp))};return i(),()=>{a.abort(),clearTimeout(
r)}},[e,t,o]),o}function Le(e){let t=E(!1),o=F(null);w(()=>{t.value&&o.current?.showModal()},[t.value]);let a={needs:e.needs,disabled:e.disabled??!1,onClick:()=>t.value=!0};return n(
f,{children:[n(B,{...a,...e.owner===void 0?{}:{owner:e.owner},...e.icon?{icon:e.icon}:{},...e.isIcon?{label:e.name,kind:"quiet"}:{},children:e.isIcon?void 0:e.name}),
t.value&&n("dialog",{ref:o,class:"confirm","aria-label":e.name,onClose:()=>t.value=!1,children:[n("p",{class:"said",children:e.question}),n("div",{class:"confir\
m-answers",children:[n(x,{autofocus:!0,onClick:()=>o.current?.close(),children:"Go back"}),n(x,{kind:"danger",onClick:()=>{o.current?.close(),e.onConfirm()},children:e.
yes})]})]})]})}var Bp={pause:"Pausing\u2026",resume:"Resuming\u2026",stop:"Stopping\u2026","take-over":"Waiting for the action under way to end\u2026","hand-back":"Handing bac\
k\u2026"};function ol({control:e,owner:t}){let o=e.state.value;if(o===null||o.phase==="ended")return n(nl,{control:e});let a=t===void 0?"operate":"submit",r={needs:a,
...t===void 0?{}:{owner:t},disabled:e.pending.value!==null};return n("div",{class:"live-tools",children:[n("div",{class:"live-buttons",children:[o.phase==="runn\
ing"&&n(B,{...r,icon:"pause",onClick:()=>{e.ask("pause")},children:"Pause"}),o.phase==="paused"&&!o.question&&n(B,{...r,icon:"play",onClick:()=>{e.ask("resume")},
children:"Resume"}),(o.phase==="running"||o.phase==="paused")&&!o.question&&n(B,{...r,icon:"hand",onClick:()=>{e.ask("take-over")},children:"Take over"}),o.phase===
"taken_over"&&n(B,{...r,needs:o.by===he()?a:"operate",kind:"primary",icon:"play",onClick:()=>{e.ask("hand-back")},children:"Hand back"}),o.phase!=="stopping"&&n(
Le,{...r,name:"Stop",icon:"stop",question:o.is_by_hand?"Give the phone back now? The takeover ends as cancelled.":"Stop this episode? Its task ends as cancelled\
.",yes:"Stop it",onConfirm:()=>{e.ask("stop")}})]}),o.question&&o.phase==="paused"&&n(Fn,{episode:o.episode,question:o.question,consent:o.consent?.id,owner:t,onChange:()=>e.
reload()}),oe(a,t)!==null&&n(Ee,{needs:a,...t===void 0?{}:{owner:t},what:"Steering"}),!(o.phase==="taken_over"&&o.by===he())&&n(nl,{control:e})]})}function nl({
control:e}){let t=e.pending.value,o=e.problem.value;return n("p",{class:`live-result${o?" live-result-bad":""}`,role:"status",children:t!==null?Bp[t]??"":o?`${o.
title}: ${o.detail}`:e.result.value})}var Np=120;function al({control:e}){let t=e.state.value;if(t===null)return null;let o=t.screen??null,a=`/episodes/${P(t.episode)}/screens/`,r=t.ends_at==null?null:
t.ends_at-Se.value;return n("div",{class:"taken",children:[r!==null&&r<Np&&n("p",{class:"taken-end quiet",children:["Without another action, ",t.is_by_hand?"the\
 phone is free again":"the agent gets the phone back"," in ",Go(r),"."]}),n(ma,{screen:o,picture:o===null?null:fe(a+P(o)),hasField:t.keyboard!=="hidden",size:[t.
width??1080,t.height??2400],isBusy:e.pending.value!==null,onAct:(i,s)=>e.act(s,i),problem:e.problem.value&&`${e.problem.value.title}: ${e.problem.value.detail}`,
result:e.result.value})]})}function rl({id:e}){let t=Zs(e),o=Qs(e),a=H(()=>el(e),[e]),r=t.report.value,i=(r?.episode.task??e).split(".")[0]??"",s=Q({load:d=>i?A(`/batches/${P(i)}`,{},d):Promise.
resolve(null)},[i]),l=o.state.value,c=r!==null&&r.episode.ended_at==null,u=tl(e,c);return n("div",{class:"live-page",children:[n(Ip,{batch:i,name:s.value.value?.
name??"",task:r?.episode.task??""}),t.problem.value&&n(C,{problem:t.problem.value}),r!==null&&n(ua,{report:r,source:a,live:c?Fp(e,u.value,l):void 0,surface:l?.phase===
"taken_over"&&l.by===he()?n(al,{control:o}):void 0,tools:n(ol,{control:o,owner:s.value.value?.owner})})]})}function Fp(e,t,o){bt.value;let a=Ve().find(s=>s.episode===
e),r=a?.stage_since??a?.step_since??Date.now()/1e3,i=(a?.stages??[]).map(s=>({stage:s,step:a?.step??0,since:r}));return{connection:kn.value==="lost"?"lost":"ope\
n",stages:i,writing:t,person:Op(o)}}function Op(e){if(e?.phase!=="taken_over"&&e?.phase!=="paused")return null;let{by:t,since:o,ends_at:a}=e;return{isPaused:e.phase===
"paused",name:t??"",isReader:t===he(),since:o??null,endsAt:a??null,isByHand:e.is_by_hand}}function Ip({batch:e,name:t,task:o}){let a=[{name:"Work",href:b.work()}];
return e&&a.push({name:t||e,href:b.batch(e)}),o&&a.push({name:o,href:b.task(o)}),n(j,{crumbs:a,title:""})}var il=12;function sl(e,t,o){let[a,r]=_({first:0,end:Math.min(t,40)});return re(()=>{let i=0,s=()=>{i=0;let u=e.current?.getBoundingClientRect();if(!u)return;let d=Math.
max(0,Math.floor(-u.top/o)-il),m=Math.min(t,Math.ceil((innerHeight-u.top)/o)+il);r(h=>h.first===d&&h.end===m?h:{first:Math.min(d,t),end:Math.max(m,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,o]),{first:Math.min(
a.first,t),end:Math.min(Math.max(a.end,a.first),t)}}function oo(e){let t=F(null),o=e.items.length,{first:a,end:r}=sl(t,o,e.height),i=r>=o;return w(()=>{i&&e.onEnd?.()},[i,o]),n("div",{class:"rows panel",role:"tab\
le","aria-label":e.label,"aria-rowcount":o+1,children:[n("div",{class:"rows-head",role:"rowgroup",children:n("div",{class:"row",role:"row","aria-rowindex":1,children:e.
head})}),n("div",{ref:t,class:"rows-body",role:"rowgroup",style:{height:`${o*e.height}px`},children:e.items.slice(a,r).map((s,l)=>n("div",{class:"row",role:"row",
"aria-rowindex":a+l+2,style:{height:`${e.height}px`,transform:`translateY(${(a+l)*e.height}px)`},children:e.children(s,a+l)},e.keyOf(s)))})]})}function Z(e){return n(
"div",{class:`cell${e.kind?` cell-${e.kind}`:""}`,role:e.head?"columnheader":"cell",children:e.children})}var Jp={"batch.accepted":"batch accepted","batch.paused":"batch paused","batch.resumed":"batch resumed","batch.priority":"batch got another priority","task.prio\
rity":"task got another priority","batch.cancelled":"batch cancelled","batch.ended":"batch ended","task.paused":"task paused","task.resumed":"task resumed","tas\
k.retried":"task submitted again","task.began":"task began","task.step":"task is at another step","task.ended":"task ended","task.failed":"task failed","episode\
.paused":"episode paused","episode.person_wanted":"agent asks for a person","episode.resumed":"episode resumed","episode.taken_over":"episode taken over","episo\
de.handed_back":"episode handed back","phone.away":"phone is away","phone.back":"phone is back","phone.aside":"phone set aside","phone.released":"phone released",
"model.away":"model is away","model.back":"model is back","schedule.fired":"schedule submitted","schedule.missed":"schedule missed a time"},qp=new Set(["task.fa\
iled","phone.away","model.away","schedule.missed"]),Xp=34;function ao({events:e,label:t}){return n(oo,{items:e,keyOf:o=>String(o.id),height:Xp,label:t,head:n(f,
{children:[n(Z,{head:!0,kind:"short",children:"Time"}),n(Z,{head:!0,kind:"what",children:"What"}),n(Z,{head:!0,kind:"of",children:"Of which"}),n(Z,{head:!0,kind:"\
why",children:"Why"})]}),children:o=>n(f,{children:[n(Z,{kind:"short",children:n("time",{class:"faint",dateTime:new Date(o.at*1e3).toISOString(),title:Y(o.at),children:wt(
o.at)})}),n(Z,{kind:"what",children:n("span",{class:`clip event-what${qp.has(o.kind)?" event-bad":""}`,title:ll(o),children:ll(o)})}),n(Z,{kind:"of",children:n(
Wp,{event:o})}),n(Z,{kind:"why",children:n("span",{class:"clip event-why",title:cl(o),children:cl(o)})})]})})}function Wp({event:e}){return e.task?n(ga,{href:b.
task(e.task),words:e.task}):e.phone?n(ga,{href:b.phone(e.phone),words:e.phone}):e.batch?n(ga,{href:b.batch(e.batch),words:e.batch}):n("span",{})}function ga({href:e,
words:t}){return n("a",{class:"clip event-of mono",href:e,title:t,children:t})}function ll(e){return Jp[e.kind]??e.kind}function cl(e){let t=e.data??{},o=typeof t.
ending=="string"?t.ending:"",a=t.is_done===!1?Ge({ending:o,verified:t.verified}):Ut(o),r=t.question??t.reason,i=typeof r=="string"?r:"",s=typeof t.by=="string"?
`by ${t.by}`:"";return[a,i,s].filter(Boolean).join(": ")}var zp=52;function ro(e){return n(oo,{items:e.tasks,keyOf:t=>t.id,height:zp,label:e.label,...e.onEnd?{onEnd:e.onEnd}:{},head:n(f,{children:[n(Z,{head:!0,kind:"s\
tate",children:"State"}),n(Z,{head:!0,kind:"wide",children:"Goal"}),n(Z,{head:!0,kind:"extra",children:"Now, or why"}),!e.isOfOnePhone&&n(Z,{head:!0,kind:"extra",
children:"Phone"}),n(Z,{head:!0,kind:"time",children:"Time"}),n(Z,{head:!0,kind:"actions",children:n("span",{class:"unseen",children:"Actions"})})]}),children:t=>n(
f,{children:[n(Z,{kind:"state",children:n(Nn,{task:t})}),n(Z,{kind:"wide",children:[n("a",{class:"task-goal clip",href:Dp(t),title:t.goal,children:t.goal}),n("s\
pan",{class:"task-id mono clip",children:t.id})]}),n(Z,{kind:"extra",children:n("span",{class:"task-reason said",title:dl(t),children:dl(t)})}),!e.isOfOnePhone&&
n(Z,{kind:"extra",children:t.phone?n("a",{class:"clip task-phone mono",href:b.phone(t.phone),title:t.phone,children:t.phone}):n("span",{class:"faint",children:ge})}),
n(Z,{kind:"time",children:n(Hp,{task:t})}),n(Z,{kind:"actions",children:n(Up,{task:t,onChanged:e.onChanged})})]})})}function Dp(e){return e.episode?b.episode(e.
episode):b.task(e.id)}function dl(e){return e.phase==="running"?`step ${e.step??0}${e.doing?` \xB7 ${e.doing}`:""}`:e.phase!=="ended"?"":e.is_done?e.answer??L(e.
steps??0,"step"):e.reason??""}function Hp({task:e}){return e.started_at==null?n("span",{class:"faint",children:ge}):e.phase==="running"?n(_t,{since:e.started_at}):
n(f,{children:W(e.ended_at==null?null:e.ended_at-e.started_at)})}function Up(e){let{task:t}=e,o=J(async()=>(e.onChanged(await q("POST",`/tasks/${P(t.id)}:retry`)),
"Submitted again."));return St(t)?o.result.value?n("span",{class:"task-again",children:"again"}):n(B,{needs:"submit",owner:t.owner,kind:o.problem.value?"danger":
"quiet",icon:"retry",label:o.problem.value?`Retry: ${o.problem.value.detail}`:`Retry ${t.id}`,disabled:o.isRunning.value,onClick:()=>{o.run()}}):null}var Vp=700,jp=[["half an hour",.5],["2 hours",2],["8 hours",8],["a day",24]];function ul({phone:e}){let t=E(""),o=J(async(l,c)=>{Mn(await q("POST",`/phones/${P(
e.serial)}:${l}`,c)),t.value=""}),a=J(async()=>{let l=await q("POST",`/phones/${P(e.serial)}:take-over`),c=await Kp(l.id,()=>r.current);c!==null&&se(["episodes",
c])}),r=F(!1);w(()=>()=>{r.current=!0},[]);let i=e.phase==="aside"||e.phase==="reserved"||e.reserved_for!=null,s={needs:"operate",disabled:o.isRunning.value};return n(
"div",{class:"handset-actions",children:[n("div",{class:"handset-buttons",children:[(e.phase==="free"||e.phase==="reserved")&&n(B,{needs:"submit",icon:"hand",disabled:a.
isRunning.value,onClick:()=>{a.run()},children:a.isRunning.value?"Waiting for the phone\u2026":"Take over"}),i&&n(B,{...s,kind:"primary",icon:"play",onClick:()=>{
o.run("release")},children:"Release"}),e.phase!=="aside"&&n(B,{...s,icon:"pause","aria-expanded":t.value==="aside",onClick:()=>t.value=t.value==="aside"?"":"asi\
de",children:"Set aside"}),n(B,{...s,icon:"clock","aria-expanded":t.value==="reserve",onClick:()=>t.value=t.value==="reserve"?"":"reserve",children:"Reserve"}),
n(B,{...s,icon:"keyboard","aria-expanded":t.value==="name",onClick:()=>t.value=t.value==="name"?"":"name",children:"Name"})]}),t.value==="aside"&&n("form",{class:"\
handset-form panel",onSubmit:l=>{l.preventDefault(),o.run("aside",{reason:io(l,"reason")})},children:[n("label",{class:"labelled",children:[n("span",{class:"lab\
elled-name",children:"Why"}),n("input",{class:"input",name:"reason",required:!0,maxLength:500,autofocus:!0,placeholder:"The screen is cracked"})]}),n("p",{class:"\
labelled-help",children:"It gets no task until it is released. Its present task goes on to its end."}),n(x,{type:"submit",kind:"primary",disabled:o.isRunning.value,
children:"Set it aside"})]}),t.value==="reserve"&&n("form",{class:"handset-form panel",onSubmit:l=>{l.preventDefault();let c=Date.now()/1e3+Number(io(l,"hours"))*
3600;o.run("reserve",{owner:io(l,"owner"),until:c})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"For whose tasks"}),
n("input",{class:"input",name:"owner",required:!0,defaultValue:he(),autofocus:!0})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
For how long"}),n("select",{class:"input",name:"hours",children:jp.map(([l,c])=>n("option",{value:c,selected:c===2,children:l},c))})]}),n(x,{type:"submit",kind:"\
primary",disabled:o.isRunning.value,children:"Reserve it"})]}),t.value==="name"&&n("form",{class:"handset-form panel",onSubmit:l=>{l.preventDefault();let{name:c,
...u}=e.own_labels??{},d=io(l,"name");o.run("labels",{labels:d?{...u,name:d}:u})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",
children:"Name of the phone"}),n("input",{class:"input",name:"name",maxLength:100,defaultValue:e.own_labels?.name??"",autofocus:!0})]}),n("p",{class:"labelled-h\
elp",children:["People see it in place of the serial. Selectors know it as the label ",n("code",{children:"name"}),"."]}),n(x,{type:"submit",kind:"primary",disabled:o.
isRunning.value,children:"Name it"})]}),a.problem.value&&n(C,{problem:a.problem.value}),o.problem.value&&n(C,{problem:o.problem.value})]})}async function Kp(e,t){
let o=!1,a=()=>{o=!0,pl(e).catch(()=>{})};addEventListener("pagehide",a);try{return await Gp(e,()=>o,t)}finally{removeEventListener("pagehide",a)}}async function pl(e){
await le(`/tasks/${P(e)}:cancel`,{method:"POST",isLast:!0})}async function Gp(e,t,o){for(;;){if(t())return null;if(o())return await pl(e),null;let a=await A(`/t\
asks/${P(e)}`);if(a.episode!=null&&(await A(`/episodes/${P(a.episode)}/control`).catch(()=>null))?.phase==="taken_over")return a.episode;if(a.phase==="ended")throw new Error(
a.reason??"The phone was not taken over.");await new Promise(r=>setTimeout(r,Vp))}}function io(e,t){return String(new FormData(e.currentTarget).get(t)??"").trim()}var Yp={"task.began":"busy","task.ended":"free","phone.away":"away","phone.back":"free","phone.aside":"aside","phone.released":"free"},va={busy:"at work",free:"\
free",away:"away",aside:"set aside"};function Qp(e,t){let o=[],a=null;for(let r of[...e].reverse()){let i=Yp[r.kind];i!==void 0&&(a!==null&&r.at>a.from&&o.push(
{...a,to:r.at}),a={condition:i,from:r.at})}return a!==null&&t>a.from&&o.push({...a,to:t}),o}function ml({events:e}){let t=Math.ceil(Se.value/30)*30,o=Qp(e,t),a=o[0]?.
from??t,r=Math.max(1,t-a),i={free:0,busy:0,away:0,aside:0};for(let c of o)i[c.condition]+=c.to-c.from;let s=e.filter(c=>c.kind==="task.ended").length,l=e.filter(
c=>c.kind==="task.failed").length;return n("div",{class:"handset-health panel",children:[n("svg",{class:"handset-strip",viewBox:`0 0 ${r} 1`,preserveAspectRatio:"\
none",role:"img","aria-label":Zp(i,r),children:o.map(c=>n("rect",{class:`strip-${c.condition}`,x:c.from-a,width:Math.max(c.to-c.from,r/800),height:"1",children:n(
"title",{children:`${va[c.condition]}: ${Y(c.from)}, ${st(c.to-c.from)}`})},c.from))}),n("p",{class:"handset-strip-ends quiet",children:[n("span",{children:Y(a)}),
n("span",{children:"now"})]}),n(Re,{facts:[...Object.keys(i).map(c=>[va[c],n("span",{class:"handset-key",children:[n("span",{class:`key key-${c}`})," ",ke(i[c]/
r)]},c)]),["Tasks",k(s)],["Failed",`${k(l)} (${ke(s===0?0:l/s)})`]]})]})}function Zp(e,t){return Object.keys(e).map(o=>`${va[o]} ${ke(e[o]/t)}`).join(", ")}var em=2e3,fl=[{name:"Fleet",href:b.fleet()}];function gl({serial:e}){bt.value;let t=xt(e)?.value;return t===void 0?n(f,{children:[n(j,{title:e,crumbs:fl}),Cn.value&&
n(D,{icon:"phone",title:"The fleet has no such phone",children:["It was detached, or its address has changed. An operator attaches a phone with ",n("code",{children:"\
manyhands attach"}),"."]})]}):n(f,{children:[n(j,{crumbs:fl,title:In(t),about:n("span",{class:"handset-about",children:[In(t)!==e&&n("span",{class:"said mono",children:e}),
n("span",{class:`dot dot-${t.phase}`})," ",qe[t.phase],t.labels?.model&&n("span",{class:"said",children:t.labels.model})]}),actions:n(ul,{phone:t},e)}),t.reason&&
n(ne,{tone:t.phase==="away"||t.phase==="aside"?"warn":"quiet",children:n("p",{class:"said",children:[qe[t.phase],": ",t.reason,t.reserved_until!=null&&` until ${Y(
t.reserved_until)}`]})}),n("div",{class:"handset-page",children:[n(tm,{phone:t}),n("div",{class:"handset-detail",children:[n(nm,{phone:t}),n(om,{phone:t}),n(am,
{serial:e})]})]})]})}function tm({phone:e}){let t=E(null),a=(e.episode&&e.screen&&t.value!==e.screen?fe(`/episodes/${P(e.episode)}/screens/${e.screen}`,{width:540}):
null)??(e.thumbnail?`data:image/jpeg;base64,${e.thumbnail}`:null),r=T("screen")==="live"&&e.phase!=="away";return n("div",{class:"handset-screen panel",children:[
e.phase!=="away"&&n(x,{class:"handset-live",icon:"screen",pressed:r,title:"Ask the phone for its screen, every two seconds, also while it has no task",onClick:()=>I(
{screen:r?"":"live"}),children:"Show it live"}),r?n(On,{serial:e.serial,everyMs:em,label:`The screen of ${e.serial} now`,size:28}):a?n("img",{src:a,alt:`The scr\
een of ${e.serial}`,onError:()=>t.value=e.screen??null}):n("span",{class:"faint",children:[n(y,{name:"phone",size:28}),"No screen yet"]})]})}function nm({phone:e}){
return e.task?n("section",{class:"handset-now panel","aria-label":"What it does now",children:[n("p",{class:"handset-goal said",children:e.goal||e.task}),n("p",
{class:"quiet said",children:e.subgoal||e.doing}),n("p",{class:"handset-line",children:n(Jn,{phone:e,most:4})}),n("p",{class:"handset-line quiet",children:[e.step!=
null&&n("span",{children:["step ",e.step]}),e.step_since!=null&&n("span",{children:["for ",n(_t,{since:e.step_since})]}),e.owner&&n("span",{class:"said",children:[
"asked by ",e.owner]})]}),n("p",{class:"handset-line",children:[e.episode&&n("a",{class:"button button-primary",href:b.episode(e.episode),children:[n(y,{name:"p\
lay"})," Watch it live"]}),e.batch&&n("a",{class:"button",href:b.batch(e.batch),children:["Batch ",e.batch]})]})]}):null}function om({phone:e}){let t=Object.entries(
e.labels??{}),o=t.filter(([r])=>!r.startsWith("app:")&&r!=="serial"&&r!=="model"),a=t.filter(([r])=>r.startsWith("app:"));return n(f,{children:[n(Re,{facts:[["B\
attery",e.battery==null?null:`${Math.round(e.battery)}\xA0%`],["Warmth",e.celsius==null?null:`${be(e.celsius)}\xA0\xB0C`],["Failures in a row",e.failures?k(e.failures):
null],...o.map(([r,i])=>[r,n("span",{class:"said",children:i},r)])]}),a.length>0&&n("details",{class:"handset-apps",children:[n("summary",{children:L(a.length,"\
app")}),n("p",{class:"said mono",children:a.map(([r,i])=>`${r.slice(4)} ${i}`).join(`
`)})]})]})}var hl=[{value:"tasks",name:"Last tasks"},{value:"log",name:"Log"},{value:"health",name:"Health"}];function am({serial:e}){let t=hl.find(o=>o.value===
T("tab"))?.value??"tasks";return n("section",{class:"handset-history","aria-label":"History",children:[n(Tt,{label:"History",value:t,choices:hl,onChoose:o=>I({tab:o===
"tasks"?"":o})}),t==="tasks"?n(rm,{serial:e}):n(im,{serial:e,tab:t})]})}function rm({serial:e}){let t=Q({load:a=>A(`/phones/${P(e)}/tasks`,{limit:100},a),isChangedBy:a=>a.
phone===e&&a.kind!=="task.step"},[e]),o=t.value.value?.items;return n(f,{children:[t.problem.value&&n(C,{problem:t.problem.value}),o?.length===0&&n(D,{icon:"lis\
t",title:"It has had no task yet",children:["As soon as it gets one, the task appears here. ",n("a",{href:b.submit(),children:"Submit a batch"})]}),o&&o.length>
0&&n(ro,{tasks:o,label:`Tasks of ${e}`,isOfOnePhone:!0,onChanged:t.reload})]})}function im({serial:e,tab:t}){let o=Q({load:r=>A(`/phones/${P(e)}/log`,{limit:500},
r),isChangedBy:r=>r.phone===e&&r.kind!=="task.step"},[e]),a=o.value.value?.items;return n(f,{children:[o.problem.value&&n(C,{problem:o.problem.value}),a?.length===
0&&n(D,{icon:"clock",title:"Nothing has happened to it yet",children:"Its tasks, and when it went away or was set aside, appear here."}),a&&a.length>0&&(t==="lo\
g"?n(ao,{events:a,label:`Log of ${e}`}):n(ml,{events:a}))]})}var vl=["done","failed","cancelled","running"];function so({counts:e}){let t=Math.max(1,e.tasks-(e.retried??0));return n("span",{class:"progress",role:"img","ar\
ia-label":an(e),children:vl.map(o=>{let a=e[o]??0;return a===0?null:n("span",{class:`progress-part progress-${o}`,style:{width:`${100*a/t}%`}},o)})})}function an(e){
let t=vl.filter(o=>(e[o]??0)>0).map(o=>`${k(e[o]??0)} ${o}`);return e.waiting>0&&t.push(`${k(e.waiting)} waiting`),t.join(", ")||"no tasks"}function lo(e,t){return J(async o=>{let a=`/batches/${P(e.id)}:${o}`;if(o==="retry"){let r=await q("POST",a);return`${L(r.length,"task")} submitted again.`}t(await q(
"POST",a))})}function co(e){let{batch:t,action:o,areIcons:a}=e,r={needs:"submit",owner:t.owner,disabled:o.isRunning.value},i=t.phase==="open"||t.phase==="paused",
s=l=>a?{label:l,kind:"quiet"}:{children:l};return n(f,{children:[t.phase==="open"&&n(B,{...r,icon:"pause",onClick:()=>{o.run("pause")},...s("Pause")}),t.phase===
"paused"&&n(B,{...r,icon:"play",onClick:()=>{o.run("resume")},...s("Resume")}),t.failed>0&&n(B,{...r,icon:"retry",onClick:()=>{o.run("retry")},...s("Retry what \
failed")}),i&&n(Le,{...r,name:"Cancel",icon:"stop",isIcon:a,question:`Cancel ${L(t.waiting+t.running,"task")} of ${t.name||t.id}? Running tasks end as soon as t\
hey can.`,yes:"Cancel the batch",onConfirm:()=>{o.run("cancel")}})]})}function ya(e){return[...e].sort((t,o)=>o.priority-t.priority||t.submitted_at-o.submitted_at)}function yl(e,t,o){let a=e.findIndex(u=>u.id===t),r=e[a],i=e[o];if(r===
void 0||i===void 0||a===o)return null;let s=i.submitted_at<=r.submitted_at,l=o<a?i.priority+(s?1:0):i.priority-(s?0:1),c=Math.min(100,Math.max(-100,l));return c===
r.priority?null:c}function bl(e,t){if(e.phase!=="open")return null;let o=e.waiting+e.running,a=e.tasks-o;return a<1||o===0?null:o*Math.max(1,t-e.submitted_at)/a}function uo(e){let{batch:t}=e,o=lo(t,e.put),a=t.tasks-t.waiting-t.running;return n("li",{...e.target,class:`batch${e.target?.class?` ${e.target.class}`:""}`,children:[
n("div",{class:"batch-main",children:[e.before,n("div",{class:"batch-name",children:[n("a",{class:"batch-link clip",href:b.batch(t.id),children:t.name||t.id}),n(
"span",{class:"batch-about clip",children:[t.name&&n("span",{class:"mono",children:[t.id," "]}),"by ",t.owner," \xB7 ",t.priority!==0&&!e.priority&&`priority ${k(
t.priority)} \xB7 `,n(Pe,{at:t.submitted_at}),t.tags.map(r=>n("a",{class:"tag",href:b.work({tag:r}),children:r},r))]})]}),n("div",{class:"batch-progress",children:[
n(so,{counts:t}),n("span",{class:"batch-counts",children:[n("span",{class:"clip",children:an(t)}),n("span",{class:"num",children:[k(a),"/",k(t.tasks)]})]})]}),n(
"div",{class:"batch-state",children:[n(Bn,{phase:t.phase,failed:t.failed}),n(ba,{batch:t})]}),e.priority,n("div",{class:"batch-actions",children:n(co,{batch:t,action:o,
areIcons:!0})})]}),t.deadline_warning&&n("p",{class:"batch-warning",children:[n(y,{name:"warning",size:14})," ",n("span",{class:"said",children:t.deadline_warning})]}),
o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n("p",{class:"batch-result",role:"status",children:o.result.value})]})}function ba({batch:e}){let t=rt(
()=>{let a=bl(e,Se.value);return a===null?"":`about ${st(a)} left`}),o=e.deadline!=null&&e.phase==="open"&&e.deadline<Se.value;return n("span",{class:"batch-lef\
t quiet",children:o?n(z,{tone:"bad",children:"past its deadline"}):t})}function xl({batches:e,put:t}){let o=E(null),a=E(null),r=J(async(c,u)=>(t(await q("POST",`/batches/${P(c)}:priority`,{priority:u})),`${c} has the priority ${u} \
now.`)),i=async(c,u)=>{let d=yl(e,c,u);d!==null&&await r.run(c,d)},s=async(c,u,d)=>{if(c.key!=="ArrowUp"&&c.key!=="ArrowDown")return;c.preventDefault();let m=c.
currentTarget;await i(u,d+(c.key==="ArrowUp"?-1:1)),requestAnimationFrame(()=>m.isConnected&&m.focus())},l=(c,u)=>{c.preventDefault(),o.value!==null&&i(o.value,
u),o.value=null,a.value=null};return n("section",{class:"batch-section","aria-labelledby":"queue-title",children:[n("div",{class:"queue-head",children:[n("h2",{
id:"queue-title",children:"Queue"}),n(cm,{batches:e,put:t})]}),e.length===0&&n("p",{class:"quiet",children:"Nothing waits. What is submitted starts at once."}),
r.problem.value&&n(C,{problem:r.problem.value}),n("p",{class:"unseen",role:"status",children:r.result.value}),n("ol",{class:"batch-list panel",children:e.map((c,u)=>{
let d=oe("submit",c.owner),m=h=>{r.run(c.id,Math.min(100,Math.max(-100,h)))};return n(uo,{batch:c,put:t,target:{class:`batch-queued${a.value===u&&o.value!==c.id?
" queue-over":""}`,onDragOver:h=>{o.value!==null&&(h.preventDefault(),a.value=u)},onDrop:h=>l(h,u)},before:n("button",{type:"button",class:"queue-handle",draggable:d===
null,disabled:d!==null,title:d??"Drag to another place, or press the arrow keys","aria-label":`Move ${c.name||c.id}: place ${u+1} of ${e.length}`,onDragStart:()=>o.
value=c.id,onDragEnd:()=>{o.value=null,a.value=null},onKeyDown:h=>{s(h,c.id,u)},children:n(y,{name:"menu",size:14})}),priority:n("div",{class:"queue-priority",role:"\
group","aria-label":`Priority of ${c.name||c.id}`,children:[n(x,{kind:"quiet",icon:"minus",label:"Lower priority",disabled:d!==null,onClick:()=>m(c.priority-1)}),
n("span",{class:"num",title:"Priority: higher ones run first",children:k(c.priority)}),n(x,{kind:"quiet",icon:"plus",label:"Higher priority",disabled:d!==null,onClick:()=>m(
c.priority+1)})]})},c.id)})})]})}function cm({batches:e,put:t}){let o=J(async()=>{let s=await q("POST","/batches:cancel");return s.forEach(t),`${L(s.length,"bat\
ch","batches")} cancelled. Schedules go on: pause them on their page.`}),a=e.filter(s=>oe("submit",s.owner)===null),r=a.reduce((s,l)=>s+l.waiting+l.running,0),i=oe(
"operate")===null?"of everybody":"of yours";return n(f,{children:[a.length>0&&n(Le,{name:"Cancel all",icon:"stop",needs:"submit",disabled:o.isRunning.value,question:`\
Cancel ${L(a.length,"open batch","open batches")} ${i}, with ${L(r,"task")}? Running tasks end after their present action. Nothing takes this back.`,yes:"Cancel\
 all of them",onConfirm:()=>{o.run()}}),o.problem.value&&n(C,{problem:o.problem.value}),n("p",{class:"quiet",role:"status",children:o.result.value})]})}function rn(e){return n(f,{children:[n(j,{title:"Work",about:e.about,actions:e.actions??(oe("submit")===null?n("a",{class:"button button-primary",href:b.submit(),
children:[n(y,{name:"plus"})," Submit a batch"]}):n(Ee,{needs:"submit",what:"Submitting"}))}),n("nav",{class:"work-tabs","aria-label":"Work",children:[n("a",{class:"\
work-tab",href:b.work(),"aria-current":e.tab==="batches"?"page":void 0,children:"Batches"}),n("a",{class:"work-tab",href:b.schedules(),"aria-current":e.tab==="s\
chedules"?"page":void 0,children:"Schedules"})]})]})}var po=50,wl=e=>e.batch!=null&&e.kind!=="task.step";async function dm(e){let t=(l,c)=>A("/batches",{phase:l,limit:c,tag:T("tag"),owner:T("owner")},e),[o,a,r,i]=await Promise.
all([t("open",1e3),t("paused",1e3),t("ended",po),t("cancelled",po)]),s=[...r.items,...i.items].sort((l,c)=>c.submitted_at-l.submitted_at);return{queue:ya([...o.
items,...a.items]),ended:s,cursor:r.next_cursor??null}}async function um(e,t){if(e==="")return[];let o={text:e,limit:po,tag:T("tag"),owner:T("owner")};return(await A(
"/batches",o,t)).items}function kl(){let e=Q({load:dm,isChangedBy:wl},[T("tag"),T("owner")]),t=E([]),o=E(void 0),a=T("q").trim(),r=Q({load:g=>um(a,g),isChangedBy:wl},
[a]),i=e.value.value,s=o.value===void 0?i?.cursor??null:o.value,l=J(async()=>{let g=await A("/batches",{phase:"ended",limit:po,cursor:s});t.value=[...t.value,...g.
items],o.value=g.next_cursor??null}),c=g=>{if(i===null)return;let S=N=>N.id===g.id?g:N;e.put({...i,queue:ya(i.queue.map(S)),ended:i.ended.map(S)}),e.reload()};if(i===
null)return n(f,{children:[n(rn,{tab:"batches"}),e.problem.value&&n(C,{problem:e.problem.value})]});let u=new Set(i.ended.map(g=>g.id)),d=Sl(i.queue,a),m=[...t.
value,...(r.value.value??[]).filter(g=>g.phase==="ended"||g.phase==="cancelled")],h=new Map(m.filter(g=>!u.has(g.id)).map(g=>[g.id,g])),p=Sl([...i.ended,...h.values()],
a),v=i.queue.length===0&&i.ended.length===0&&!T("tag")&&!T("owner");return n(f,{children:[n(rn,{tab:"batches",about:n(pm,{queue:i.queue})}),e.problem.value&&n(C,
{problem:e.problem.value}),v?n(D,{icon:"layers",title:"No batch yet",action:n(Ye,{text:'manyhands submit --goal "Turn on dark mode." --name try'}),children:["A \
batch is a list of goals in plain language. ",n("a",{href:b.submit(),children:"Submit one here"}),", or from a terminal:"]}):n(f,{children:[n("div",{class:"tool\
bar",children:[n(Pt,{value:T("q"),label:"Search batches",placeholder:"Name, id, owner, tag",onInput:g=>I({q:g})}),(T("tag")||T("owner"))&&n(x,{icon:"cross",onClick:()=>I(
{tag:"",owner:""}),children:T("tag")?`tag ${T("tag")}`:`of ${T("owner")}`})]}),n(xl,{batches:d,put:c}),n("section",{class:"batch-section","aria-labelledby":"end\
ed-title",children:[n("h2",{id:"ended-title",children:"Ended"}),p.length===0&&n("p",{class:"quiet",children:a?"No batch that has ended has these words.":"No bat\
ch has ended yet."}),n("ul",{class:"batch-list panel",children:p.map(g=>n(uo,{batch:g,put:c},g.id))}),s!==null&&a===""&&n(x,{onClick:()=>{l.run()},disabled:l.isRunning.
value,children:"Show older ones"}),l.problem.value&&n(C,{problem:l.problem.value})]})]})]})}function pm({queue:e}){let t=e.reduce((a,r)=>a+r.waiting,0),o=e.reduce(
(a,r)=>a+r.running,0);return n(f,{children:[L(e.length,"open batch","open batches")," \xB7 ",L(o,"task")," running \xB7 ",k(t)," waiting"]})}function Sl(e,t){let o=t.
toLowerCase();return o===""?e:e.filter(a=>[a.id,a.name,a.owner,...a.tags].join(`
`).toLowerCase().includes(o))}var _l=1e3;function El({batch:e}){let t=T("events")==="1";return n("section",{class:"event-section",children:[n(x,{icon:t?"up":"down",kind:"quiet","aria-expande\
d":t,onClick:()=>I({events:t?"":"1"}),children:"What happened"}),t&&n(mm,{batch:e})]})}function mm({batch:e}){let t=E([]);return w(()=>{let o=[],a=0,r=new Ue({path:"\
/events",query:()=>({batch:e,after:0}),onEvent:({data:i})=>{let s=JSON.parse(i);s.kind!=="task.step"&&(o.unshift(s),o.length>_l&&(o=o.slice(0,_l)),a||=requestAnimationFrame(
()=>{a=0,t.value=[...o]}))}});return()=>{r.close(),cancelAnimationFrame(a)}},[e]),n(ao,{events:t.value,label:`Events of ${e}`})}var sn=500,fm=1e3,xa={"":{query:{},holds:()=>!0},waiting:{query:{phase:"waiting"},holds:e=>e.phase==="waiting"},paused:{query:{phase:"paused"},holds:e=>e.phase===
"paused"},running:{query:{phase:"running"},holds:e=>e.phase==="running"},done:{query:{is_done:!0},holds:e=>e.is_done===!0},failed:{query:{is_done:!1},holds:St},
cancelled:{query:{ending:"cancelled"},holds:e=>e.ending==="cancelled"}},wa=class{tasks=M([]);problem=M(null);isLoaded=M(!1);#t;#e;#n=null;#a=!1;#o;#i=new AbortController;constructor(t,o){
this.#t=t,this.#e=o in xa?o:""}open(){let t=Me({onEvent:o=>this.#l(o),onOpen:()=>this.reload()});return this.#s(null,sn),()=>{t(),clearTimeout(this.#o),this.#i.
abort()}}more=()=>{this.#n!==null&&this.#s(this.#n,sn)};reload=()=>{this.#o??=setTimeout(()=>{this.#o=void 0,this.#s(null,Math.min(1e3,Math.max(sn,this.tasks.value.
length)))},fm)};put=t=>{this.tasks.value=this.tasks.value.map(o=>o.id===t.id?t:o).filter(this.#r)};get#r(){return xa[this.#e].holds}async#s(t,o){if(!this.#a){this.#a=
!0;try{let a={...this.#t,...xa[this.#e].query,cursor:t,limit:o},r=await A("/tasks",a,this.#i.signal),i=r.items.filter(this.#r);if(t!==null)this.tasks.value=[...this.
tasks.value,...i],this.#n=r.next_cursor??null;else{let s=this.tasks.value.slice(i.length),l=r.next_cursor==null,c=new Set(i.map(u=>u.id));this.tasks.value=l?i:[
...i,...s.filter(u=>!c.has(u.id))],(l||s.length===0)&&(this.#n=r.next_cursor??null)}this.isLoaded.value=!0,this.problem.value=null}catch(a){this.#i.signal.aborted||
(this.problem.value=G(a))}finally{this.#a=!1}}}#l(t){if(t.task==null||this.#t.batch&&t.batch!==this.#t.batch)return;let o=this.tasks.value.findIndex(s=>s.id===t.
task);if(o<0){t.kind!=="task.step"&&this.reload();return}let r={"task.paused":"paused","task.resumed":"waiting"}[t.kind],i=[...this.tasks.value];i[o]={...i[o],...t.
data,...r?{phase:r}:{}},this.tasks.value=i.filter(this.#r)}};function Pl(e,t){let o=H(()=>new wa(e,t),[JSON.stringify(e),t]);return w(()=>o.open(),[o]),o}var hm=["csv","json","jsonl","junit","html"];function Tl({id:e}){let t=Q({load:a=>A(`/batches/${P(e)}`,{},a),isChangedBy:a=>a.batch===e&&a.kind!=="task.step"},[
e]),o=t.value.value;return o===null?n(f,{children:[n(j,{title:e,crumbs:[{name:"Work",href:b.work()}]}),t.problem.value&&n(C,{problem:t.problem.value})]}):n(f,{children:[
t.problem.value&&n(C,{problem:t.problem.value}),n(gm,{batch:o,put:t.put})]})}function gm({batch:e,put:t}){let o=lo(e,t);return n(f,{children:[n(j,{crumbs:[{name:"\
Work",href:b.work()}],title:e.name||e.id,about:n(f,{children:[n(Bn,{phase:e.phase,failed:e.failed})," ",n("span",{class:"mono",children:e.id})," of ",e.owner]}),
actions:n(co,{batch:e,action:o,areIcons:!1})}),o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n(ne,{children:o.result.value}),e.deadline_warning&&
n(ne,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})}),n("div",{class:"batch-large-progress panel",children:[n("div",{class:"batch-large\
-words",children:[n("span",{children:an(e)}),n(ba,{batch:e})]}),n(so,{counts:e})]}),n(Re,{facts:[["Submitted",Y(e.submitted_at)],["Ended",e.ended_at==null?null:
Y(e.ended_at)],["Deadline",e.deadline==null?null:Y(e.deadline)],["Priority",k(e.priority)],["Phones",e.phones?n("span",{class:"said mono",children:e.phones}):"a\
ll"],["Tags",e.tags.length>0&&e.tags.map(a=>n("a",{class:"tag",href:b.work({tag:a}),children:a},a))],["Schedule",e.schedule&&n("a",{href:b.schedules(),children:e.
schedule})],["Results",n(vm,{batch:e.id},"results")]]}),n(ym,{batch:e}),n(El,{batch:e.id})]})}function vm({batch:e}){return n("span",{class:"downloads",children:hm.
map(t=>n("a",{href:fe(`/batches/${P(e)}/results`,{format:t}),download:`${e}.${t}`,children:t},t))})}function ym({batch:e}){let t=T("state"),o=T("q").trim().toLowerCase(),
a=e.tasks>sn,r=Pl({batch:e.id,...a&&o?{text:o}:{}},t),i=o?r.tasks.value.filter(s=>`${s.id}
${s.goal}
${s.phone}
${s.reason}`.toLowerCase().includes(o)):r.tasks.value;return n(f,{children:[n("div",{class:"toolbar",children:[n(Pt,{value:T("q"),label:"Search tasks",placeholder:"\
Id, goal, phone, reason",onInput:s=>I({q:s})}),n(qn,{label:"States",chosen:t,all:e.tasks,choices:[{value:"running",name:"Running",count:e.running},{value:"waiti\
ng",name:"Waiting",count:e.phase==="paused"?null:e.waiting},{value:"done",name:"Done",count:e.done},{value:"failed",name:"Failed",count:e.failed},{value:"cancel\
led",name:"Cancelled",count:e.cancelled??0}],onChoose:s=>I({state:s})})]}),r.problem.value&&n(C,{problem:r.problem.value}),r.isLoaded.value&&i.length===0?n(D,{icon:"\
list",title:"No task is in this state now",children:n("button",{type:"button",class:"link-button",onClick:()=>I({state:"",q:""}),children:["Show all ",k(e.tasks)]})}):
n(ro,{tasks:i,label:`Tasks of ${e.id}`,onChanged:r.reload,onEnd:r.more})]})}var bm=[["none",null],["in 1 hour",1],["in 2 hours",2],["in 8 hours",8],["in a day",24],["in a week",168]];function mo(e){let{fields:t}=e,o=a=>e.onChange({...t,
...a});return n(f,{children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Name"}),n("input",{class:"input",maxLength:200,value:t.
name,placeholder:"nightly regression",onInput:a=>o({name:a.currentTarget.value})})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Phones"}),n("input",{class:"input mono",maxLength:500,value:t.phones,placeholder:"model=Pixel 8, android>=13",spellcheck:!1,onInput:a=>o({phones:a.currentTarget.
value})}),n("span",{class:"labelled-help",children:"A selector by labels. Empty: all phones."})]}),n("div",{class:"field-pair",children:[n("label",{class:"label\
led",children:[n("span",{class:"labelled-name",children:"Priority"}),n("input",{class:"input",type:"number",min:-100,max:100,step:1,value:t.priority,onInput:a=>o(
{priority:Math.round(a.currentTarget.valueAsNumber)||0})})]}),e.hasDeadline!==!1&&n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Deadline"}),n("select",{class:"input",value:String(t.hours),onChange:a=>o({hours:a.currentTarget.value==="null"?null:Number(a.currentTarget.value)}),children:bm.
map(([a,r])=>n("option",{value:String(r),children:a},a))})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Tags"}),n("inpu\
t",{class:"input",defaultValue:t.tags.join(", "),placeholder:"nightly, release-4.2",onInput:a=>o({tags:a.currentTarget.value.split(",").map(r=>r.trim()).filter(
Boolean)})}),n("span",{class:"labelled-help",children:"Words, with commas between them."})]})]})}var ho={name:"",priority:0,tags:[],hours:null,phones:""};function Cl(e){return e.split(`
`).map(t=>t.trim()).filter(t=>t!==""&&!t.startsWith("#"))}function Rt(e){return e.kind==="goals"?Cl(e.text).length===0:e.text.trim()===""}function xm(e){return e.
map((t,o)=>({id:`goal-${o+1}`,goal:t}))}async function Ml(e,t){return await(await le(Sa("/batches:check",e),{...fo(e),method:"POST",signal:t})).json()}async function Rl(e,t){
let o=fo(e),a={"Idempotency-Key":t};return await(await le(Sa("/batches",e),{...o,method:"POST",headers:a})).json()}function Al(e){return e.hours===null?null:Math.
round(Date.now()/1e3+e.hours*3600)}function fo(e){if(e.kind==="yaml")return{text:{content:e.text,type:"application/yaml"}};let{name:t,priority:o,tags:a,phones:r}=e.
fields,i=Al(e.fields);return{body:{tasks:xm(Cl(e.text)),name:t,priority:o,tags:a,phones:r,...i===null?{}:{deadline:i}}}}async function $l(e,t){if(e.kind==="yaml"){
let a=Sa("/schedules",e,t);await le(a,{...fo(e),method:"POST"});return}let o=fo(e).body;await le("/schedules",{method:"POST",body:{name:e.fields.name,batch:o,...t}})}
function Sa(e,t,o={}){if(t.kind!=="yaml")return e;let{name:a,priority:r,tags:i,phones:s}=t.fields,l=new URLSearchParams(o);a&&l.set("name",a),r!==0&&l.set("prio\
rity",String(r));for(let d of i)l.append("tag",d);s&&l.set("phones",s);let c=Al(t.fields);c!==null&&l.set("deadline",String(c));let u=l.toString();return u?`${e}\
?${u}`:e}function Ll(e){let t=F(null),o=F(null),a=e.value.split(`
`),r=Math.max(a.length,12),i=new Map;for(let{line:l,text:c}of e.mistakes)l!==null&&i.set(l,[...i.get(l)??[],c]);w(()=>{!o.current||!t.current||(e.wraps&&o.current.
style.setProperty("--text-width",`${t.current.clientWidth}px`),o.current.scrollTop=t.current.scrollTop)});let s=l=>{let c=t.current;if(c===null)return;let u=a.slice(
0,l-1).reduce((m,h)=>m+h.length+1,0);c.focus(),c.setSelectionRange(u,u+(a[l-1]?.length??0));let d=o.current?.children[Math.max(0,l-4)];c.scrollTop=d?.offsetTop??
0};return n("div",{class:"editor",children:[n("div",{class:`editor-frame${e.wraps?" editor-wraps":""}`,children:[n("div",{ref:o,class:"editor-gutter","aria-hidd\
en":"true",children:Array.from({length:r},(l,c)=>n("div",{class:"editor-line",children:[n("span",{class:`editor-number${i.has(c+1)?" editor-wrong":""}`,title:i.
get(c+1)?.join(`
`),children:c+1}),e.wraps&&n("span",{class:"editor-copy mono",children:a[c]||"\u200B"})]},c))}),n("textarea",{ref:t,class:"editor-text mono","aria-label":e.label,
"aria-invalid":e.mistakes.length>0,"aria-describedby":"editor-mistakes",placeholder:e.placeholder,value:e.value,rows:Math.min(r,24),wrap:e.wraps?"soft":"off",spellcheck:!1,
onInput:l=>e.onInput(l.currentTarget.value),onScroll:l=>{o.current&&(o.current.scrollTop=l.currentTarget.scrollTop)}})]}),n("ul",{id:"editor-mistakes",class:"ed\
itor-mistakes","aria-live":"polite",children:e.mistakes.map(({line:l,text:c})=>n("li",{class:"editor-mistake",children:[n(y,{name:"warning",size:14}),l!==null&&
n("button",{type:"button",class:"link-button",onClick:()=>s(l),children:["line ",l]}),n("span",{class:"said",children:c})]},`${l} ${c}`))})]})}var wm=400,Sm=[{value:"goals",name:"Goals"},{value:"yaml",name:"YAML"}],km=`Turn on dark mode.
Read the last message from Maria and reply to it.`,_m=`tasks:
  - id: dark
    goal: Turn on dark mode.
  - id: alarm
    goal: Set an alarm for 6:30.`;function go(e){let t=T("as")==="yaml"?"yaml":"goals",o=E({goals:"",yaml:""}),a={kind:t,text:o.value[t],fields:e.value},{check:r,
problem:i}=Pm(a),s=async l=>{l!==void 0&&(o.value={...o.value,yaml:await l.text()},e.value.name===""&&(e.value={...e.value,name:l.name.replace(/\.ya?ml$/i,"")}),
I({as:"yaml"}))};return{submission:a,check:r,problem:i,isReady:!Rt(a)&&(r?.mistakes??[]).length===0,setText:l=>o.value={...o.value,[t]:l},takeFile:s}}function vo({
text:e,children:t}){let o=E(!1);return n("div",{class:`submit${o.value?" submit-over":""}`,onDragOver:a=>{a.preventDefault(),o.value=!0},onDragLeave:()=>o.value=
!1,onDrop:a=>{a.preventDefault(),o.value=!1,e.takeFile(a.dataTransfer?.files[0])},children:t})}function yo({text:e}){let{kind:t}=e.submission;return n(f,{children:[
n("div",{class:"submit-kinds",children:[n(Tt,{label:"What you write",value:t,choices:Sm,onChoose:o=>I({as:o==="yaml"?o:""})}),n("label",{class:"button submit-fi\
le",children:["Choose a YAML file",n("input",{type:"file",class:"unseen",accept:".yaml,.yml,application/yaml,text/yaml",onChange:o=>{e.takeFile(o.currentTarget.
files?.[0])}})]}),n("span",{class:"quiet submit-hint",children:"or drop one anywhere here"})]}),n(Ll,{value:e.submission.text,label:t==="goals"?"Goals, one a li\
ne":"Tasks in YAML",placeholder:t==="goals"?km:_m,mistakes:e.check?.mistakes??[],wraps:t==="goals",onInput:e.setText},t),e.problem&&n(C,{problem:e.problem}),n(Em,
{check:e.check,isEmpty:Rt(e.submission)})]})}function Em({check:e,isEmpty:t}){return t?n("p",{class:"quiet",children:["Say each goal as you would to a person. T\
asks with checks, answers or hints are written in YAML, as"," ",n("code",{children:"manyhands run"})," reads it."]}):e===null||e.mistakes.length>0?null:n(f,{children:[
n("p",{class:"submit-good",children:[L(e.tasks,"task")," without a mistake."]}),e.unmatched.map(o=>n(ne,{tone:"warn",children:n("p",{class:"said",children:["No \
phone of the fleet fits ",o.task===null?"the batch's":`${o.task}'s`," selector ",n("code",{children:o.phones}),".",o.task===null?" Its tasks wait":" It waits","\
 until such a phone comes."]})},`${o.task} ${o.phones}`)),e.deadline_warning&&n(ne,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})})]})}
function Pm(e){let t=E(null),o=E(null);return w(()=>{if(Rt(e)){t.value=null,o.value=null;return}let a=new AbortController,r=setTimeout(()=>{Ml(e,a.signal).then(
i=>{t.value=i,o.value=null},i=>{a.signal.aborted||(o.value=G(i))})},wm);return()=>{clearTimeout(r),a.abort()}},[JSON.stringify(e)]),{check:t.value,problem:o.value}}var Tm=400,Cm=[["every night at 2:00","0 2 * * *"],["on weekdays at 7:30","30 7 * * MON-FRI"],["every quarter of an hour","every 15m"],["every 6 hours","every 6\
h"]];function Bl(){let e=E(ho),t=go(e),o=E("0 2 * * *"),a=E(Intl.DateTimeFormat().resolvedOptions().timeZone||"UTC"),r=E("skip"),i=E("once"),s=J(async()=>{let d={
when:o.value,zone:a.value,overlap:r.value,missed:i.value};await $l(t.submission,d),se(["work","schedules"])}),l=Mm(o.value,a.value),c=e.value.name.trim()!=="",u=t.
isReady&&c&&!l?.problem&&oe("submit")===null;return n(vo,{text:t,children:[n(j,{crumbs:[{name:"Work",href:b.work()},{name:"Schedules",href:b.schedules()}],title:"\
Make a schedule"}),n(Ee,{needs:"submit",what:"Making schedules"}),n("form",{class:"submit-form",onInput:s.forget,onSubmit:d=>{d.preventDefault(),u&&s.run()},children:[
n("div",{class:"submit-text",children:[n("div",{class:"field-pair",children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Whe\
n"}),n("input",{class:"input mono",value:o.value,required:!0,"aria-invalid":!!l?.problem,"aria-describedby":"schedule-times",onInput:d=>o.value=d.currentTarget.
value}),n("span",{class:"labelled-help",children:["An interval, such as ",n("code",{children:"every 15m"}),", or a cron line: minute hour day month weekday."]})]}),
n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Time zone"}),n("input",{class:"input",value:a.value,required:!0,onInput:d=>a.value=
d.currentTarget.value}),n("span",{class:"labelled-help",children:"By its IANA name. Intervals need none."})]})]}),n("div",{class:"chips",role:"group","aria-labe\
l":"Times that many use",children:Cm.map(([d,m])=>n("button",{type:"button",class:"chip","aria-pressed":o.value===m,onClick:()=>o.value=m,children:d},m))}),n("p",
{id:"schedule-times",class:l?.problem?"submit-bad said":"quiet",role:"status",children:l?.problem??(l&&`Next: ${(l.next_times??[]).slice(0,3).map(Y).join(" \xB7 ")}`)}),
n(yo,{text:t})]}),n("div",{class:"submit-side",children:[n(mo,{fields:e.value,hasDeadline:!1,onChange:d=>e.value=d}),n("label",{class:"labelled",children:[n("sp\
an",{class:"labelled-name",children:"If the last batch has not ended"}),n("select",{class:"input",value:r.value,onChange:d=>r.value=d.currentTarget.value,children:[
n("option",{value:"skip",children:"submit nothing"}),n("option",{value:"queue",children:"submit as soon as it has"}),n("option",{value:"cancel_old",children:"ca\
ncel it"})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Times that were missed"}),n("select",{class:"input",value:i.value,
onChange:d=>i.value=d.currentTarget.value,children:[n("option",{value:"once",children:"submit one batch for all"}),n("option",{value:"skip",children:"submit not\
hing"})]})]}),s.problem.value&&n(C,{problem:s.problem.value}),n(x,{type:"submit",kind:"primary",icon:"plus",disabled:!u||s.isRunning.value,children:"Make the sc\
hedule"}),oe("submit")===null&&(!c||Rt(t.submission))&&n("p",{class:"labelled-help",children:"It needs a name and a goal."})]})]})]})}function Mm(e,t){let o=E(null);
return w(()=>{let a=new AbortController,r=setTimeout(()=>{A("/schedules:times",{when:e||" ",zone:t||" "},a.signal).then(i=>o.value=i,()=>{})},Tm);return()=>{clearTimeout(
r),a.abort()}},[e,t]),o.value}function Nl(){let e=Q({load:r=>A("/schedules",{limit:500},r),isChangedBy:r=>r.kind.startsWith("schedule."),pollMs:3e4},[]),t=e.value.value?.items,o=oe("submit")===
null,a=o?n("a",{class:"button button-primary",href:b.newSchedule(),children:[n(y,{name:"plus"})," Make a schedule"]}):n(Ee,{needs:"submit",what:"Making schedule\
s"});return n(f,{children:[n(rn,{tab:"schedules",actions:a}),e.problem.value&&n(C,{problem:e.problem.value}),t?.length===0&&n(D,{icon:"clock",title:"No schedule\
 yet",action:n(Ye,{text:'manyhands schedules add nightly tasks.yaml --when "0 2 * * *" --zone Europe/Berlin'}),children:["A schedule submits the same batch at s\
et times. ",o&&n("a",{href:b.newSchedule(),children:"Make one here"}),o&&", or from a terminal:"]}),n("ul",{class:"schedules",children:t?.map(r=>n(Rm,{schedule:r,
reload:e.reload},r.id))})]})}function Rm({schedule:e,reload:t}){let o=J(async s=>{let l=`/schedules/${P(e.id)}`;s==="remove"?await q("DELETE",l):await q("POST",
`${l}:${s}`),t()}),a={needs:"submit",owner:e.owner,disabled:o.isRunning.value},r=e.next_times??[],i=r[0];return n("li",{class:"schedule panel",children:[n("div",
{class:"schedule-head",children:[n("div",{class:"schedule-name",children:[n("h2",{class:"said",children:e.name}),n("p",{class:"quiet",children:[n("code",{class:"\
said",children:e.when}),!e.when.startsWith("every")&&` in ${e.zone}`," \xB7 ",L(e.batch.tasks.length,"task")," \xB7 by ",n("span",{class:"said",children:e.owner})]})]}),
n("div",{class:"schedule-actions",children:[e.paused?n(B,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"Resume"}):n(B,{...a,icon:"pause",onClick:()=>{
o.run("pause")},children:"Pause"}),n(Le,{...a,name:"Delete",icon:"cross",question:`Delete the schedule ${e.name}? Batches that it has submitted stay.`,yes:"Dele\
te the schedule",onConfirm:()=>{o.run("remove")}})]})]}),n("div",{class:"schedule-times",children:[e.paused?n(z,{tone:"warn",icon:"pause",children:"paused"}):n(
"span",{children:["Next ",i!==void 0&&n("strong",{children:["in ",st(i-Se.value)]}),n("span",{class:"quiet",children:[" ",r.slice(0,3).map(Y).join(" \xB7 ")]})]}),
e.last_batch&&n("span",{class:"quiet",children:["Last"," ",n("a",{href:b.batch(e.last_batch),children:e.last_batch})," ",e.last_due!=null&&n(Pe,{at:e.last_due})]}),
n("span",{class:"quiet",children:[k(e.submitted??0)," submitted, ",k(e.skipped??0)," skipped"]})]}),e.problem&&n("p",{class:"batch-warning",children:[n(y,{name:"\
warning",size:14})," ",n("span",{class:"said",children:e.problem})]}),o.problem.value&&n(C,{problem:o.problem.value})]})}function Fl(){let e=E(ho),t=go(e),{submission:o,check:a}=t,r=H(no,[JSON.stringify(o)]),i=J(async()=>{let l=await Rl(o,r);se(["batches",l.id])}),s=t.isReady&&oe(
"submit")===null;return n(vo,{text:t,children:[n(j,{crumbs:[{name:"Work",href:b.work()}],title:"Submit a batch"}),n(Ee,{needs:"submit",what:"Submitting"}),n("fo\
rm",{class:"submit-form",onInput:i.forget,onSubmit:l=>{l.preventDefault(),s&&i.run()},onKeyDown:l=>{l.key==="Enter"&&(l.ctrlKey||l.metaKey)&&s&&i.run()},children:[
n("div",{class:"submit-text",children:n(yo,{text:t})}),n("div",{class:"submit-side",children:[n(mo,{fields:e.value,onChange:l=>e.value=l}),i.problem.value&&n(C,
{problem:i.problem.value}),n(x,{type:"submit",kind:"primary",icon:"plus",disabled:!s||i.isRunning.value,children:i.isRunning.value?"Submitting\u2026":a&&s?`Subm\
it ${L(a.tasks,"task")}`:"Submit"})]})]})]})}function Ol({id:e}){let t=e.split(".")[0]??e,o=Q({load:s=>A(`/tasks/${P(e)}`,{},s),isChangedBy:s=>s.task===e},[e]),a=Q({load:s=>A(`/batches/${P(t)}`,{},s)},[t]),
r=[{name:"Work",href:b.work()},{name:a.value.value?.name||t,href:b.batch(t)}],i=o.value.value;return n(f,{children:[i===null?n(j,{title:e,crumbs:r}):n(Am,{task:i,
crumbs:r,put:o.put}),o.problem.value&&n(C,{problem:o.problem.value})]})}function Am(e){let{task:t}=e,o=J(async r=>{let i=await q("POST",`/tasks/${P(t.id)}:${r}`);
r==="retry"?se(["tasks",i.id]):e.put(i)}),a={needs:"submit",disabled:o.isRunning.value,owner:t.owner};return n(f,{children:[n(j,{crumbs:e.crumbs,title:t.goal,about:n(
f,{children:[n(Nn,{task:t})," ",n("span",{class:"mono",children:t.id})]}),actions:n(f,{children:[t.episode&&n("a",{class:"button button-primary",href:b.episode(
t.episode),children:[n(y,{name:"play"})," ",t.phase==="running"?"Watch it live":"Open its film"]}),t.phase==="waiting"&&n(B,{...a,icon:"pause",onClick:()=>{o.run(
"pause")},children:"Pause"}),t.phase==="paused"&&n(B,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"Resume"}),St(t)&&n(B,{...a,icon:"retry",onClick:()=>{
o.run("retry")},children:"Retry"}),t.phase!=="ended"&&n(Le,{...a,name:"Cancel",icon:"stop",question:`Cancel the task ${t.id}?`,yes:"Cancel the task",onConfirm:()=>{
o.run("cancel")}})]})}),o.problem.value&&n(C,{problem:o.problem.value}),t.phase==="ended"&&t.reason&&n(ne,{tone:t.is_done?"good":"warn",children:[n("p",{class:"\
note-title",children:t.is_done?Ut(t.ending??""):Ge(t)}),n("p",{class:"said",children:t.reason})]}),t.answer&&n(ne,{tone:"quiet",children:[n("p",{class:"note-tit\
le",children:"Answer"}),n("p",{class:"said",children:t.answer})]}),n(Re,{facts:[["Phone",t.phone&&n("a",{href:b.phone(t.phone),children:t.phone})],["Began",t.started_at==
null?null:Y(t.started_at)],["Ended",t.ended_at==null?null:Y(t.ended_at)],["Took",t.ended_at==null||t.started_at==null?null:W(t.ended_at-t.started_at)],["Step",t.
step==null?null:String(t.step)],["Steps done",t.steps==null?null:String(t.steps)],["Now",t.doing&&n("span",{class:"said",children:t.doing})],["Attempts",t.attempts||
null],["Priority",k(t.priority)],["Check",t.verified==null?null:t.verified?"holds":"does not hold"],["Retry of",t.retry_of&&n("a",{href:b.task(t.retry_of),children:t.
retry_of})]]})]})}function Il(){let e=Oe.value.path,t=$m(e);return w(()=>{Rn.value=t.name},[t.name]),w(()=>{scrollTo({top:0})},[e.join("/")]),n(f,{children:t.page()})}function $m(e){
let[t="fleet",o=""]=e;switch(t){case"fleet":return{name:"Fleet",page:()=>n(mi,{})};case"phones":return{name:o,page:()=>n(gl,{serial:o},o)};case"work":return Lm(
e);case"batches":return{name:o,page:()=>n(Tl,{id:o},o)};case"tasks":return{name:o,page:()=>n(Ol,{id:o},o)};case"attention":return{name:"Attention",page:()=>n(di,
{})};case"episodes":return{name:o,page:()=>n(rl,{id:o},o)};case"health":return{name:"Health",page:()=>n(Ri,{})};default:return{name:"No such page",page:()=>n(Jl,
{})}}}function Lm(e){switch(e.slice(1).join("/")){case"":return{name:"Work",page:()=>n(kl,{})};case"submit":return{name:"Submit a batch",page:()=>n(Fl,{})};case"\
schedules":return{name:"Schedules",page:()=>n(Nl,{})};case"schedules/new":return{name:"Make a schedule",page:()=>n(Bl,{})};default:return{name:"No such page",page:()=>n(
Jl,{})}}}function Jl(){return n(f,{children:[n(j,{title:"There is no such page"}),n(D,{icon:"search",title:"This address names no page of the console",children:[
"Perhaps the address was cut off when it was copied. The ",n("a",{href:b.fleet(),children:"fleet"})," is the first page."]})]})}function ql({problem:e}){let t=E(!1),o=async a=>{a.preventDefault();let r=a.currentTarget,i=String(new FormData(r).get("token")??"").trim();i!==""&&(t.value=!0,
await Xt(i),t.value=!1)};return n("main",{class:"sign-in",children:n("form",{class:"sign-in-form panel",onSubmit:a=>{o(a)},children:[n("h1",{children:n(kt,{})}),
n("p",{class:"quiet",children:"Sign in to this service with your token."}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Token"}),
n("input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&n(C,{problem:e}),n(x,{type:"submit",
kind:"primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),n("div",{class:"sign-in-help quiet",children:[n("p",{children:["The first start \
of the service prints its token, and keeps it in the file ",n("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),n(Ye,{text:"many\
hands tokens make YOUR-NAME --role submit"})]})]})})}function Xl({status:e,other:t}){let o=E(!1),a=async r=>{o.value=!0,await mr(r),o.value=!1};return n("main",{class:"sign-in",children:n("section",{class:"sign-in\
-form panel","aria-labelledby":"switch-title",children:[n("h1",{id:"switch-title",children:n(kt,{})}),n("p",{children:["You are signed in as ",n("strong",{class:"\
said",children:e.owner})," (",e.role,"). The link that you opened signs in ",n("strong",{class:"said",children:t.owner})," (",t.role,")."]}),n("p",{class:"quiet",
children:"Whatever you do next is recorded under the name that you choose."}),n(x,{kind:"primary",disabled:o.value,onClick:()=>{a(!1)},children:["Stay signed in\
 as ",e.owner]}),n(x,{disabled:o.value,onClick:()=>{a(!0)},children:["Sign in as ",t.owner]})]})})}function Wl(){let e=dr.value;return e.kind==="asking"?n("main",{class:"shell-wait","aria-busy":"true",children:n("p",{class:"quiet",children:[n(y,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="choosing"?n(Xl,{status:e.status,other:e.other}):e.kind==="out"?n(ql,{problem:e.problem}):n(Bm,{})}function Bm(){
return w(()=>{Jo([yr(),xr()]);let e=$r(),t=Er();return()=>{t(),Jo([]),e(),br(),wr()}},[]),n("div",{class:"shell",children:[n("a",{class:"skip-link",href:"#page",
onClick:Nm,children:"Skip to the page"}),n(jr,{}),n("div",{class:"shell-page",children:[n(Pr,{}),n("main",{id:"page",tabIndex:-1,children:n(Il,{})})]}),n(Vr,{})]})}
function Nm(e){e.preventDefault(),document.getElementById("page")?.focus()}No();gr();pr();Na(n(Wl,{}),document.getElementById("app"));})();
