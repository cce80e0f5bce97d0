"use strict";(()=>{var h,Xt,at,V,rt,Ce,Ut,Ee,Dt,st,it,Ao,he=Symbol.for("pv"),Te={},Ae=[],$o=/^m(i|n|o|s|text|space)$/,lt=Array.isArray,ct=Ae.slice,te=Object.assign;function ee(e){
e&&e.parentNode&&e.remove()}function qt(e,t,n){var o,a,i,s={},l=arguments.length;for(i in t)i=="key"?o=t[i]:i=="ref"&&typeof e!="function"?a=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?ct.call(arguments,2):n),fe(e,s,o,a,null)}function fe(e,t,n,o,a){var i={type:e,props:t,key:n,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:he,__v:a||++Xt,__i:-1,__u:0};return!a&&h.vnode&&h.
vnode(i),i}function E(e){return e.children}function oe(e,t){this.props=e,this.context=t,this.__g=0}function G(e,t){if(t==null)return e.__&&G(e.__,e.__i+1);for(var n;t<e.__k.
length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:G(e)}function Ro(e){var t,n=e.__v,o=n.__e,a=[],i=[],s=e.__P;s&&
((t=te({constructor:he},n)).__v=n.__v+1,h.vnode&&h.vnode(t),ut(s,t,n,e.__n,s.namespaceURI,32&n.__u?[o]:null,a,o||G(n),32&n.__u,i),t.__v=n.__v,t.__.__k[t.__i]=t,
Zt(a,t,i),n.__=n.__e=null,t.__e!=o&&Bt(t))}function Bt(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),Bt(
e)}function Jt(e){(8&e.__g||(e.__g|=8,V.push(e),Ce++))&&rt==h.debounceRendering||((rt=h.debounceRendering)||queueMicrotask)(jt)}function jt(){try{for(var e,t=1;V.
length;)V.length>t&&V.sort(Ut),e=V.shift(),t=V.length,8&e.__g&&Ro(e)}finally{(Ce=V.length)&&(rt||queueMicrotask)(jt)}}function Vt(e,t,n,o,a,i,s,l,d,p,u){var y,b,
c,f,k,g,w=o.__k||Ae,v=t.length;for(d=No(n,t,w,d,v),y=0;y<v;y++)(c=n.__k[y])!=null&&(b=~c.__i&&w[c.__i]||Te,c.__i=y,g=ut(e,c,b,a,i,s,l,d,p,u),f=c.__e,(b.ref!=c.ref||
8&b.__u)&&(b.ref&&pt(b.ref,null,c,b),c.ref&&u.push(c.ref,c.__c||f,c)),k=k||f,4&c.__u?(d=Gt(c,d,e,!b.__v),b.__e&&(b.__e=null)):typeof c.type=="function"&&g!==void 0?
d=g:f&&(d=f.nextSibling),c.__u&=-21);return n.__e=k,d}function No(e,t,n,o,a){var i,s,l,d,p,u,y,b,c,f=n.length,k=f,g=0,w=0,v=e.__k=Array(a);for(i=0;i<a;i++)(s=t[i])!=
null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=v[i]=fe(null,s):lt(s)?s=v[i]=fe(E,{children:s}):s.constructor===he&&
s.__b?s=v[i]=fe(s.type,s.props,s.key,s.ref,s.__v):v[i]=s,d=i+g,s.__=e,s.__b=e.__b+1,l=null,~(p=s.__i=Lo(s,n,d,k))&&(k--,(l=n[p])&&(l.__u|=2)),l&&l.__v?(s.__u|=16,
p==d-1?g--:p==d+1?g++:p!=d&&(p>d?g--:g++,w=1)):(~p||(a>f?g--:a<f&&g++),typeof s.type!="function"&&(s.__u|=4))):v[i]=null;if(w){for(u=[],y=[],i=0;i<a;i++)if((s=v[i])&&
16&s.__u){for(g=0,b=u.length;g<b;)u[c=g+b>>1]<s.__i?g=c+1:b=c;u[g]=s.__i,y[i]=g+1}for(g=u.length;i--;)y[i]&&(y[i]==g?g--:v[i].__u|=4)}if(k)for(i=0;i<f;i++)!(l=n[i])||
2&l.__u||(l.__e==o&&(o=G(l)),dt(l,l));return o}function Gt(e,t,n,o){var a,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;if(a=e.__k)for(i=0;i<a.length;i++)
a[i]&&(a[i].__=e,t=Gt(a[i],t,n,!1));return t}for(t&&!t.parentNode&&(t=G(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==8;)l=l.nextSibling;for(s!=l&&(!o&&
n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith("$s"););return t}function Lo(e,t,n,o){var a,i=e.key,s=e.type,l=t[n],d=l&&!(2&l.__u);if(l===null&&i==null||d&&i==l.key&&s==l.type)return n;if(o>(d?1:0)){for(a=n-1;a>=0;a--)if((l=
t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a;for(a=n+1;a<t.length;a++)if((l=t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a}return-1}function Ht(e,t,n){n==null&&
(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function Pe(e,t,n,o,a){var i,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof o=="string"&&(e.style.
cssText=o=""),o)for(t in o)n&&t in n||Ht(e.style,t);if(n)for(t in n)o&&n[t]==o[t]||Ht(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),
typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[t]=n,n&&o||(s=it[t]||(it[t]=Oo(t)),(e.__a||(e.__a={}))[t]=st,i=t!=(t=t.replace(Dt,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),n?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Oo(e){
return function(t){var n=this.__e;if(n){if(n=n[e],t[Ee]==null)t[Ee]=st++;else if(t[Ee]<this.__a[e])return;return n(h.event?h.event(t):t)}}}function ut(e,t,n,o,a,i,s,l,d,p){
var u,y,b,c,f,k,g,w,v,T,S,ot,zt,ke,Q,Ft,j,Y,J=t.type;if(t.constructor!==he)return null;128&n.__u&&(d=32&n.__u,u=n.__c.__z)&&(t.__u|=d,y=i=[],u.nodeType==8?l=Me(
u,i):i.push(u),l=i[0]||l),(u=h.__b)&&u(t);e:if(typeof J=="function"){b=s.length;try{if(w=t.props,v=(u=J.prototype)&&u.render,T=(u=J.contextType)&&o[u.__c],S=u?T?
T.props.value:u.__:o,(c=n.__c)?(t.__c=c,2&c.__g&&(c.__g|=1)):(v?t.__c=c=new J(w,S):(t.__c=c=new oe(w,S),c.constructor=J,c.render=Wo),T&&T.sub(c),c.state||(c.state=
{}),c.__n=o,c.__g|=8,c.__h=[],c.__k=[]),v&&(c.__s||(c.__s=c.state),J.getDerivedStateFromProps&&(c.__s==c.state&&(c.__s=te({},c.__s)),te(c.__s,J.getDerivedStateFromProps(
w,c.__s)))),f=c.props,k=c.state,c.__v=t,n.__c){if(w!==f&&v&&!J.getDerivedStateFromProps&&c.componentWillReceiveProps&&c.componentWillReceiveProps(w,S),t.__v==n.
__v&&!(8&c.__g)||!(4&c.__g)&&c.shouldComponentUpdate&&c.shouldComponentUpdate(w,c.__s,S)===!1){t.__v!=n.__v&&(c.props=w,c.state=c.__s,c.__g&=-9),t.__e=n.__e,t.__k=
n.__k,t.__k.some(function(O){O&&(O.__=t)}),Ae.push.apply(c.__h,c.__k),c.__k=[],c.__h.length&&s.push(c),l=G(n);break e}c.componentWillUpdate&&c.componentWillUpdate(
w,c.__s,S),v&&c.componentDidUpdate&&c.__h.push(function(){c.componentDidUpdate(f,k,g)})}else v&&!J.getDerivedStateFromProps&&c.componentWillMount&&c.componentWillMount(),
v&&c.componentDidMount&&c.__h.push(c.componentDidMount);c.context=S,c.props=w,c.__P=e,c.__g&=-5,ot=h.__r,zt=v?25:0;do c.__g&=-9,ot&&ot(t),u=c.render(c.props,c.state=
c.__s,c.context);while(8&c.__g&&++zt<25);v&&(Ae.push.apply(c.__h,c.__k),c.__k=[]),c.state=c.__s,c.getChildContext&&(o=te({},o,c.getChildContext())),v&&n.__c&&c.
getSnapshotBeforeUpdate&&(g=c.getSnapshotBeforeUpdate(f,k)),ke=u&&u.type===E&&u.key==null?u.props.children:u,w.__P&&(u=l,a=(e=w.__P).namespaceURI,d=i=null,n.props&&
n.props.__P!=e&&(n.__k.some(function(O){O&&dt(O,O)}),n.__k=null),l=n.__k?G(n,0):null),l=Vt(e,lt(ke)?ke:[ke],t,n,o,a,i,s,l,d,p),w.__P&&(t.__e=null,l=u),t.__u&=-161,
y&&y.some(ee),c.__h.length&&s.push(c),1&c.__g&&(c.__g&=-4)}catch(O){if(s.length=b,t.__v=null,d||i)if(O&&O.then){if(t.__u|=128|d,i){for(~(j=i.indexOf(l||void 0))||
(j=i.length);(Y=i[j-1])&&Y.nodeType==8;)j--;for(;j<i.length;j++)if(Y=i[j])if(i[j]=null,Q){if(Y==Ft)break}else{if(Y.nodeType!=8)break;Y.data.startsWith("$s")&&(Ft=
Me(Q=Y))}}if(!Q){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;Q=l}(u=Me(Q=t.__c.__z||(t.__c.__z=Q)))?(t.__e=Q,l=u):t.__e=l,l=l&&l.nextSibling}else i&&i.
some(ee);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),O&&O.then||Kt(t),h.__e(O,t,n)}}else l=t.__e=Io(n.__e,t,n,o,a,i,s,d,p,e);return(u=h.diffed)&&u(t),l}function Me(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)
return e}t&&t.push(e)}}function Kt(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Kt))}function Zt(e,t,n){for(var o=0;o<n.length;)pt(n[o++],n[o++],n[o++]);h.__c&&
h.__c(t,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(i){i.call(a)})}catch(i){h.__e(i,a.__v)}})}function Io(e,t,n,o,a,i,s,l,d,p){var u,y,b,c,f,k,g,
w,v=n.props||Te,T=t.props,S=t.type;if(S=="svg"?a="http://www.w3.org/2000/svg":S=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xht\
ml"),i){for(u=0;u<i.length;u++)if((f=i[u])&&(S?f.localName==S:f.nodeType==3)){e=f,i[u]=null;break}}if(!e){if(w=p.ownerDocument||document,!S)return w.createTextNode(
T);e=w.createElementNS(a,S,T.is?T:p),l&&(h.__m&&h.__m(t,i),l=!1),i=null}if(S){if(p=S=="template"&&e.content||e,i=S=="textarea"&&T.defaultValue!=null?null:i&&ct.
call(p.childNodes),!l&&i)for(v={},u=0;u<e.attributes.length;u++)v[(f=e.attributes[u]).name]=f.value;for(u in v)f=v[u],u=="dangerouslySetInnerHTML"?b=f:u=="child\
ren"||u in T||u=="value"&&"defaultValue"in T||u=="checked"&&"defaultChecked"in T||Pe(e,u,null,f,a);for(u in T)f=T[u],u=="children"?c=f:u=="dangerouslySetInnerHT\
ML"?y=f:u=="value"?k=f:u=="checked"?g=f:l&&typeof f!="function"||v[u]===f||Pe(e,u,f,v[u],a);y?(l||b&&(y.__html==b.__html||y.__html==e.innerHTML)||(e.innerHTML=y.
__html),t.__k=[]):(b&&(e.textContent=""),(S=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&$o.test(S))&&(a="http://www.w3.org/1999/xhtml"),Vt(p,lt(c)?
c:[c],t,n,o,a,i,s,i?i[0]:n.__k&&G(n,0),l,d),i&&i.some(ee)),l&&S!="textarea"||(u="value",S=="progress"&&k==null?e.removeAttribute(u):k==null||k===e[u]&&(S!="prog\
ress"||k)||Pe(e,u,k,v[u],a),u="checked",g!=null&&g!=e[u]&&Pe(e,u,g,v[u],a))}else v===T||l&&e.data==T||(e.data=T);return e}function pt(e,t,n,o){try{typeof e=="fu\
nction"?t?t.__x=e(t)||1:o&&(o=o.__c||o.__e)&&(t=o.__x)&&(o.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){h.__e(a,n)}}function dt(e,t,n){var o,
a,i,s;if(h.unmount&&h.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||pt(o,null,t,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){
h.__e(l,t)}o.__P=o.__n=null}if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&dt(o[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(o=e.__c)&&(o=o.__z)&&(a=Me(o,i=[]))&&
(o==e.__e&&i.some(ee),ee(a),ee(o)),n||ee(e.__e),e.__e=e.__c=e.__=null}function Wo(e,t,n){return this.constructor(e,n)}function Qt(e,t){var n,o,a,i;h.__&&h.__(e,
t),t.nodeType==9&&(t=t.documentElement),o=(n=e&&32&e.__u)?null:t.__k,t.__k=fe(E,{children:[e]}),a=[],i=[],ut(t,t.__k,o||Te,Te,t.namespaceURI,o?null:t.firstChild?
ct.call(t.childNodes):null,a,o?o.__e:t.firstChild,n,i),Zt(a,t.__k,i),t.__k.props.children=null}h={__e:function(e,t,n,o){for(var a,i,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(i=a.constructor)&&i.getDerivedStateFromError)&&a.setState(i.getDerivedStateFromError(
e)),a.componentDidCatch&&(a.componentDidCatch(e,o||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(l){e=l}}throw Ce=0,e}},Xt=0,at=function(e){return e!=null&&e.
constructor===he},oe.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=te({},this.state)),typeof e=="function"&&(e=e(te({},n),this.props)),
e&&(te(n,e),this.__v&&(t&&this.__k.push(t),Jt(this)))},oe.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Jt(this))},oe.prototype.render=
E,V=[],Ce=0,Ut=function(e,t){return e.__v.__b-t.__v.__b},Ee=Symbol(),Dt=/(PointerCapture)$|Capture$/i,st=0,it={},Ao=0;var re,$,ft,Yt,zo=Object.is,ht=0,cn=[],mt=[],P=h,en=P.__b,tn=P.__r,nn=P.diffed,on=P.__c,rn=P.unmount,an=P.__;function $e(e,t){P.__h&&P.__h($,e,ht||t),ht=0;var n=$.
__H||($.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function R(e,t){var n=$e(re++,3);!P.__s&&_t(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,$.__H.__h.push(n))}function gt(e,t){var n=$e(re++,4);!P.__s&&_t(n.__H,t)&&(n.__P=!1,
n.__=e,n.u=t,$.__h.push(n))}function K(e){return ht=5,H(function(){return{current:e}},[])}function H(e,t){var n=$e(re++,7);return _t(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function un(){var e=$e(re++,11);if(!e.__){for(var t=$.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);e.__="P"+n[0]+"-"+n[1]++}return e.__}function Fo(){var e;
do{for(;e=mt.shift();)try{me(e)}catch(n){P.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=cn.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(me),t.__h.some(vt),t.__h=[]}catch(n){
t.__h=[],P.__e(n,e.__v)}}}while(mt.length)}P.__b=function(e){$=null,en&&en(e)},P.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),an&&an(e,t)},P.__r=function(e){
tn&&tn(e),re=0;var t=($=e.__c).__H;t&&(ft==$?$.__h=[]:(t.__h.some(me),t.__h.some(vt),re=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),
ft=$},P.diffed=function(e){nn&&nn(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&ln(cn.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),ft=$=null},P.__c=function(e,t){
t.some(function(n){try{n.__h.some(me),n.__h=n.__h.filter(function(o){return!o.__||vt(o)})}catch(o){n.__h=[function(){throw o}]}}),on&&on(e,t)},P.unmount=function(e){
rn&&rn(e);var t,n,o=e.__c;o&&o.__H&&(o.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,
ln(mt.push(a))}else me(a)}catch(i){t=i}}),o.__H=void 0,t&&P.__e(t,o.__v))};var sn=typeof requestAnimationFrame=="function";function Jo(e){var t,n=function(){clearTimeout(
o),sn&&cancelAnimationFrame(t),setTimeout(e)},o=setTimeout(n,35);sn&&(t=requestAnimationFrame(n))}function ln(e){e!=1&&Yt==P.requestAnimationFrame||((Yt=P.requestAnimationFrame)||
Jo)(Fo)}function me(e){var t=$,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),$=t}function vt(e){var t=$;e.__c=e.__(),$=t}function _t(e,t){return!e||e.length!=
t.length||t.some(function(n,o){return!zo(n,e[o])})}var Ho=Symbol.for("preact-signals");function Oe(){if(X>1)X--;else{var e,t=!1;for((function(){var a=Ne;for(Ne=void 0;a!==void 0;){var i=a.S;if(i.v===a.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===a.i&&(s.i=i.i);a=a.o}})();ge!==void 0;){var n=ge;for(ge=void 0,Re++;n!==void 0;){var o=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&dn(n))try{n.
c()}catch(a){t||(e=a,t=!0)}n=o}}if(Re=0,X--,t)throw e}}function ie(e){if(X>0)return e();yt=++Xo,X++;try{return e()}finally{Oe()}}var ve,x=void 0;function _e(e){
var t=x,n=ve;x=void 0,ve=void 0;try{return e()}finally{x=t,ve=n}}var ge=void 0,X=0,Re=0,Xo=0,yt=0,Ne=void 0,Le=0;function pn(e){if(x!==void 0){var t=e.n;if(t===
void 0||t.t!==x)return t={i:0,S:e,p:x.s,n:void 0,t:x,e:void 0,x:void 0,r:t},x.s!==void 0&&(x.s.n=t),x.s=t,e.n=t,32&x.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=x.s,t.n=void 0,x.s.n=t,x.s=t),t}}function C(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}C.prototype.brand=Ho;C.prototype.h=function(){return!0};C.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.
e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:_e(function(){var o;(o=t.W)==null||o.call(t)}))};C.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,
o=e.x;n!==void 0&&(n.x=o,e.e=void 0),o!==void 0&&(o.e=n,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&_e(function(){var a;(a=t.Z)==null||a.call(t)}))}};C.prototype.
subscribe=function(e){var t=this;return U(function(){var n=t.value;_e(function(){return e(n)})},{name:"sub"})};C.prototype.valueOf=function(){return this.value};
C.prototype.toString=function(){return this.value+""};C.prototype.toJSON=function(){return this.value};C.prototype.peek=function(){var e=this;return _e(function(){
return e.value})};Object.defineProperty(C.prototype,"value",{get:function(){var e=pn(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){
if(Re>100)throw new Error("Cycle detected");(function(n){X!==0&&Re===0&&n.l!==yt&&(n.l=yt,Ne={S:n,v:n.v,i:n.i,o:Ne})})(this),this.v=e,this.i++,Le++,X++;try{for(var t=this.
t;t!==void 0;t=t.x)t.t.N()}finally{Oe()}}}});function m(e,t){return new C(e,t)}function dn(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==t.
i)return!0;return!1}function fn(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function hn(e){
for(var t=e.s,n=void 0;t!==void 0;){var o=t.p;t.i===-1?(t.S.U(t),o!==void 0&&(o.n=t.n),t.n!==void 0&&(t.n.p=o)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=o}e.s=
n}function ne(e,t){C.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Le-1,this.f=4}ne.prototype=new C;ne.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;
if((36&this.f)==32||(this.f&=-5,this.g===Le))return!0;if(this.g=Le,this.f|=1,this.i>0&&!dn(this))return this.f&=-2,!0;var e=x;try{fn(this),x=this;var t=this.x();
(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return x=e,hn(this),this.f&=-2,!0};ne.prototype.S=function(e){
if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}C.prototype.S.call(this,e)};ne.prototype.U=function(e){if(this.t!==void 0&&(C.prototype.
U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};ne.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==
void 0;e=e.x)e.t.N()}};Object.defineProperty(ne.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=pn(this);if(this.h(),e!==void 0&&
(e.i=this.i),16&this.f)throw this.v;return this.v}});function N(e,t){return new ne(e,t)}function mn(e){var t=e.j;if(e.j=void 0,typeof t=="function"){X++;var n=x;
x=void 0;try{t()}catch(o){throw e.f&=-2,e.f|=8,bt(e),o}finally{x=n,Oe()}}}function bt(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,mn(e)}function Uo(e){
if(x!==this)throw new Error("Out-of-order effect");hn(this),x=e,this.f&=-2;try{8&this.f&&bt(this)}finally{Oe()}}function ae(e,t){this.x=e,this.j=void 0,this.s=void 0,
this.u=void 0,this.f=32,this.name=t?.name,ve&&ve.push(this)}ae.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==
"function"&&(this.j=t)}finally{e()}};ae.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,mn(this),fn(this),X++;var e=x;
return x=this,Uo.bind(this,e)};ae.prototype.N=function(){2&this.f||(this.f|=2,this.u=ge,ge=this)};ae.prototype.d=function(){this.f|=8,1&this.f||bt(this)};ae.prototype.
dispose=function(){this.d()};function U(e,t){var n=new ae(e,t);try{n.c()}catch(a){throw n.d(),a}var o=n.d.bind(n);return o[Symbol.dispose]=o,o}var vn,be,Ie,Do=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var gn=[];U(function(){vn=this.N})();function se(e,t){h[e]=t.bind(null,h[e]||function(){})}function ye(e){if(Ie){var t=Ie;Ie=void 0,t()}Ie=e&&e.S()}function _n(e){
var t=this,n=e.data,o=A(n);o.name="ReactiveDom",o.value=n;var a=H(function(){for(var l=t,d=t.__v;d=d.__;)if(d.__c){d.__c.__$f|=4;break}var p=N(function(){var c=o.
value.value;return c===0?0:c===!0?"":c||""}),u=N(function(){return!Array.isArray(p.value)&&!at(p.value)}),y=U(function(){if(this.N=yn,u.value){var c=p.value;l.__v&&
l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=c)}}),b=t.__$u.d;return t.__$u.d=function(){y(),b.call(this)},[u,p]},[]),i=a[0],s=a[1];return i.value?s.peek():
s.value}_n.displayName="ReactiveTextNode";Object.defineProperties(C.prototype,{constructor:{configurable:!0,value:qt(E,null).constructor},type:{configurable:!0,
value:_n},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});se("__b",function(e,t){if(ye(),
be=void 0,typeof t.type=="string"){var n,o=t.props;for(var a in o)if(a!=="children"){var i=o[a];i instanceof C&&(n||(t.__np=n={}),n[a]=i,o[a]=i.peek())}}e(t)});
se("__r",function(e,t){if(e(t),t.type!==E){ye();var n,o=t.__c;o&&(o.__$f&=-2,(n=o.__$u)===void 0&&(o.__$u=n=(function(a,i){var s;return U(function(){s=this},{name:i}),
s.c=a,s})((function(a){return function(){var i;Do&&((i=this.y)==null||i.call(this)),a.__$f|=1,a.setState({})}})(o),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),be=o,ye(n)}});se("__e",function(e,t,n,o){ye(),be=void 0,e(t,n,o)});se("diffed",function(e,t){ye(),be=void 0;var n;if(typeof t.type=="string"&&
(n=t.__e)){var o=t.__np,a=t.props,i=n.U;if(i)for(var s in i){var l=i[s];l===void 0||o&&s in o||(l.d(),i[s]=void 0)}if(o){i||(i={},n.U=i);for(var d in o){var p=i[d],
u=o[d];p===void 0?(p=qo(n,d,u,a),i[d]=p):p.o(u,a)}}}e(t)});function qo(e,t,n,o){var a=t in e&&e.ownerSVGElement===void 0,i=m(n);return{o:function(s,l){i.value=s,
o=l},d:U(function(){this.N=yn;var s=i.value.value;o[t]!==s&&(o[t]=s,a?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}se("unmo\
unt",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var o=n.U;if(o){n.U=void 0;for(var a in o){var i=o[a];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var d in s)l[d]=s[d]}t.__np=void 0}else{var p=t.__c;if(p){p.__$f|=8;var u=p.__$u;u&&(p.__$u=void 0,u.d())}}e(t)});se("__h",function(e,t,n,o){o<3&&(t.__$f|=2),
e(t,n,o)});oe.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,o=n&&n.s!==void 0;for(var a in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(o||i||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function A(e,t){return H(function(){return m(e,t)},[])}function We(e,t){
var n=K(e);return n.current=e,be.__$f|=4,H(function(){return N(function(){return n.current()},t)},[])}var Bo=function(e){queueMicrotask(function(){queueMicrotask(e)})};function jo(){ie(function(){for(var e;e=gn.shift();)vn.call(e)})}function yn(){gn.push(this)===1&&(h.requestAnimationFrame||Bo)(jo)}var bn="manyhands-theme",xe=m(Vo());function Vo(){try{let e=localStorage.getItem(bn);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function xn(e){
xe.value=e;try{localStorage.setItem(bn,e)}catch{}xt()}function xt(){let e=document.documentElement;xe.value==="system"?delete e.dataset.theme:e.dataset.theme=xe.
value,wn.value+=1}var wn=m(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{wn.value+=1});var le=m(wt(location.hash)),ze=N(()=>le.value);addEventListener("hashchange",()=>{le.value=wt(location.hash)});function wt(e){let t=e.replace(/^#\/?/,""),n=t.indexOf(
"?"),o=(n<0?t:t.slice(0,n)).split("/").filter(Boolean).map(Go),a=Object.create(null);if(n>=0)for(let[i,s]of new URLSearchParams(t.slice(n+1)))s&&(a[i]=s);return{
path:o,choices:a}}function Go(e){try{return decodeURIComponent(e)}catch{return e}}function L(e,t={}){let n=new URLSearchParams;for(let[a,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&n.set(a,String(i));let o=n.toString();return`#/${e.map(encodeURIComponent).join("/")}${o&&`?${o}`}`}function St(e,t={},{replace:n=!1}={}){
let o=L(e,t);o!==location.hash&&(n?history.replaceState(null,"",o):history.pushState(null,"",o),le.value=wt(o))}function ce(e,{replace:t=!0}={}){St(le.value.path,
{...le.value.choices,...e},{replace:t})}function z(e,t=""){return le.value.choices[e]??t}var D=class extends Error{constructor(n){super(n.detail||n.title);this.problem=n;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},Sn={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function Fe(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let n=await e.json();return typeof n=="object"&&n!==null?
{...t,...n}:t}catch{return t}}function q(e){return e instanceof D?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var Ko="/api/v1",Zo=3e4,Je=new Set;function Pn(e){return Je.add(e),()=>Je.delete(e)}function kt(e,t={}){let n=new URLSearchParams;for(let[a,i]of Object.entries(
t))i!=null&&i!==""&&n.set(a,String(i));let o=n.toString();return`${Ko}${e}${o?`?${o}`:""}`}var En=encodeURIComponent;async function He(e,t={}){let n={Accept:"ap\
plication/json",...t.headers},o;t.text?(n["Content-Type"]=t.text.type,o=t.text.content):t.body!==void 0&&(n["Content-Type"]="application/json",o=JSON.stringify(
t.body));let a=AbortSignal.timeout(Zo),i=t.signal?AbortSignal.any([t.signal,a]):a,s;try{s=await fetch(kt(e,t.query),{method:t.method??"GET",headers:n,signal:i,credentials:"\
same-origin",...o===void 0?{}:{body:o}})}catch(l){throw t.signal?.aborted?l:kn(new D(Sn))}if(!s.ok&&s.status!==304)throw kn(new D(await Fe(s)));return Je.forEach(
l=>l(null)),s}async function F(e,t,n){let o={...t?{query:t}:{},...n?{signal:n}:{}};return await(await He(e,o)).json()}async function Mn(e,t,n){let o=await He(t,
{method:e,...n===void 0?{}:{body:n}});return o.status===204?void 0:await o.json()}function kn(e){return Je.forEach(t=>t(e)),e}var I=m({kind:"asking"}),Cn=N(()=>I.value);var Tn={read:"look at everything",submit:"submit work, and change your own",operate:"change everybody's work, and phones",approve:"change everybody's work, and \
phones"};function An(){return I.value.kind==="in"?I.value.status.role:null}function we(){return I.value.kind==="in"?I.value.status.owner:""}async function $n(){Pn(t=>{t?.needsSignIn&&I.value.kind==="in"&&(I.value={kind:"out",problem:t.problem})});let e=Qo();if(e!==null)return await Pt(e);try{I.value=
{kind:"in",status:await F("/session")}}catch(t){let n=q(t);I.value={kind:"out",problem:n.status===401?null:n}}}async function Pt(e){try{let t=await He("/session",
{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});I.value={kind:"in",status:await t.json()}}catch(t){I.value={kind:"out",problem:q(t)}}}async function Rn(){
await Mn("DELETE","/session"),I.value={kind:"out",problem:null}}function Qo(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);return e===null?null:(St([],{},
{replace:!0}),decodeURIComponent(e[1]??"")||null)}var Nn=m(Date.now()/1e3),Yo,Ln=N(()=>Nn.value);function On(){Yo??=setInterval(()=>{document.hidden||(Nn.value=Date.now()/1e3)},1e3)}var er=Symbol.for("pv"),tr=0;function r(e,t,n,o,a,i){t||(t={});var s,l,d=t;if("ref"in d&&typeof e!="function")for(l in d={},t)l=="ref"?s=t[l]:d[l]=t[l];var p={type:e,props:d,key:n,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:er,__v:--tr,__i:-1,__u:0};return(a||i)&&(p.__source=a,p.__self=i),h.vnode&&h.vnode(p),p}var nr={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function _({name:e,size:t=16,label:n}){return r("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:n?"img":void 0,"aria-label":n,"aria-hidden":n?void 0:"true",focusable:"false",children:r("path",{d:nr[e]})})}var In=m([]),Wn=N(()=>{let e=In.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function Et(e){
In.value=e}var Xe=class{#t="";#e=[];#n=null;take(t){let n=[],o=(this.#t+t).split(/\r?\n/);this.#t=o.pop()??"";for(let a of o)this.#o(a,n);return n}#o(t,n){if(t===""){(this.#e.
length>0||this.#n!==null)&&n.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let o=t.indexOf(":");if(o===0)return;let a=o<0?t:t.slice(0,o),i=o<0?"":t.slice(o+1).replace(/^ /,"");a==="data"?this.#e.push(
i):a==="id"&&!i.includes("\0")&&(this.#n=i)}};var or=500,rr=15e3,ir=4e4,ue=class{#t=m("connecting");#e;#n=new AbortController;#o=0;#s=null;#r=null;#a=!1;constructor(t){this.#e=t,addEventListener("online",this.#l),
addEventListener("offline",this.#i),document.addEventListener("visibilitychange",this.#c),this.#p()}get state(){return this.#t}close(){this.#a=!0,this.#t.value=
"closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#i),document.removeEventListener("visibilitychange",this.#c),this.#i(),this.#l()}#i=()=>this.#n.
abort();#l=()=>{this.#r?.()};#c=()=>{document.hidden?this.#i():this.#l()};async#p(){for(;!this.#a;){if(document.hidden){await this.#u(null);continue}try{await this.#d()}catch(n){
n instanceof D&&n.needsSignIn&&(this.#o=6)}if(this.#a)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.min(rr,or*2**this.#o++);await this.#u(t*
(.75+Math.random()/2))}}async#d(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#s!==null&&(t["Last-Event-ID"]=this.#s);let n=kt(this.#e.path,
this.#e.query?.()??{}),o=await fetch(n,{headers:t,signal:this.#n.signal,credentials:"same-origin"});if(!o.ok||o.body===null)throw new D(await Fe(o));this.#o=0,this.#t.
value="open",this.#e.onOpen?.();let a=new Xe,i=o.body.pipeThrough(new TextDecoderStream).getReader();for(;;){let s=setTimeout(this.#i,ir),{done:l,value:d}=await i.
read().finally(()=>clearTimeout(s));if(l)return;for(let p of a.take(d))p.id!==null&&(this.#s=p.id),p.data!==""&&this.#e.onEvent(p)}}#u(t){return new Promise(n=>{
let o=t===null?void 0:setTimeout(n,t);this.#r=()=>{clearTimeout(o),n()}}).then(()=>{this.#r=null})}};var ar=300,Ue=new Set,De=null,Mt=m([]);function qe(e){return Ue.add(e),()=>Ue.delete(e)}function zn(){return De??=new ue({path:"/events",onOpen:()=>Ue.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>sr(JSON.parse(e))}),De}function Fn(){De?.close(),De=null,Mt.value=[]}function sr(e){e.kind!=="task.step"&&(Mt.value=[e,...Mt.value].
slice(0,ar)),Ue.forEach(t=>t.onEvent?.(e))}var Z=new Map,je=m(0),Ct=m(!1),Be=null,Jn=je,Hn=Ct;function Xn(){return Be??=new ue({path:"/wall",onEvent:({data:e})=>lr(JSON.parse(e))}),Be}function Un(){Be?.close(),
Be=null,Z.clear(),ie(()=>{Ct.value=!1,je.value++})}function pe(){return je.value,[...Z.values()].map(e=>e.peek()).sort((e,t)=>pr(e.serial,t.serial))}function Dn(e){
return Z.get(e)}function lr(e){ie(()=>{if(e.is_whole){let t=new Set(e.phones.map(n=>n.serial));for(let n of Z.keys())t.has(n)||Z.delete(n)}for(let t of e.gone)Z.delete(t);for(let t of e.
phones)cr(t);Ct.value=!0,je.value++})}function cr(e){let t=Z.get(e.serial);if(t===void 0){Z.set(e.serial,m(e));return}let n=t.peek(),o=e.thumbnail==null&&n.screen===
e.screen;t.value=o?{...e,thumbnail:n.thumbnail??null}:e}var ur=new Intl.Collator("en",{numeric:!0});function pr(e,t){return ur.compare(e,t)}var dr=1500,fr=3e3;function qn(){let e=A("nothing"),t=Wn.value;return R(()=>{if(t==="lost"&&e.value!=="lost"){let n=setTimeout(()=>e.value="lost",dr);return()=>clearTimeout(
n)}if(t==="connected"&&e.value==="lost"){e.value="back";let n=setTimeout(()=>e.value="nothing",fr);return()=>clearTimeout(n)}},[t]),r("div",{class:"connection",
role:"status",children:[e.value==="lost"&&r("p",{class:"connection-lost",children:[r(_,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&r("p",{class:"connection-back",children:[r(_,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function B({icon:e,label:t,kind:n="plain",pressed:o,children:a,class:i,...s}){return r("button",{type:"button",...s,class:`button button-${n}${e&&!a?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":o,children:[e&&r(_,{name:e}),a]})}var hr=new Intl.NumberFormat("en",{maximumFractionDigits:0}),na=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),oa=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),ra=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),At="\u2013";function W(e){return e==
null?At:hr.format(e).replace("-","\u2212")}function Bn(e){if(e==null||Number.isNaN(e))return At;let t=Math.abs(e),n=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:n}).replace("-","\u2212")}function $t(e){if(e==null||Number.isNaN(e))return At;if(e<0)return"\u2212"+$t(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return Tt(Math.floor(t/60),"min",t%60,"s");let n=Math.round(e/60);if(n<1440)return Tt(Math.floor(n/60),"h",n%60,"min");let o=Math.round(e/3600);
return Tt(Math.floor(o/24),"d",o%24,"h")}function Tt(e,t,n,o){let a=`${e}\xA0${t}`;return n?`${a}\xA0${n}\xA0${o}`:a}function jn(e,t,n=`${t}s`){return`${W(e)}\xA0${e===1?t:n}`}var Vn="Manyhands",mr=1500,vr=3e4,Se=m(null),Gn=m(null),Ve=m(""),Ge,Rt=!1;function Kn(){Rt=!0;let e=qe({onEvent:n=>{gr(n)&&Nt()},onOpen:()=>Nt(0)}),t=U(()=>{let n=Se.
value?.open??0;document.title=`${n>0?`(${n}) `:""}${Ve.value?`${Ve.value} \xB7 `:""}${Vn}`});return Zn(),()=>{Rt=!1,clearTimeout(Ge),Ge=void 0,e(),t(),Se.value=
null,document.title=Vn}}function Nt(e=mr){clearTimeout(Ge),Ge=setTimeout(()=>{Zn()},e)}async function Zn(){try{Se.value=await F("/attention"),Gn.value=null}catch(e){
Gn.value=q(e)}Rt&&Nt(vr)}function gr(e){return e.kind==="task.failed"||e.kind==="task.retried"||/^(phone|model)\./.test(e.kind)}function Qn(e){let t=A(!1),n=A(null),o=A(null),a=()=>{n.value=null,o.value=null};return{isRunning:t,problem:n,result:o,run:async(...s)=>{if(t.value)return!1;t.value=
!0,a();try{return o.value=await e(...s)??null,!0}catch(l){return n.value=q(l),!1}finally{t.value=!1}},forget:a}}function Ke({problem:e,children:t}){return r("div",{class:"note note-bad",role:"alert",children:[r(_,{name:"warning"}),r("div",{class:"note-body",children:[r("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&r("p",{class:"said",children:e.detail}),e.mistakes.length>0&&r("ul",{class:"note-list",
children:e.mistakes.map(n=>r("li",{class:"said",children:n},n))}),t]})]})}function Yn(e){let t=e.tone??"good";return r("div",{class:`note note-${t}`,role:"statu\
s",children:[r(_,{name:t==="good"?"check":t==="warn"?"warning":"info"}),r("div",{class:"note-body",children:e.children})]})}var _r=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function eo(){let e=un(),
t=Qn(Rn),n=An();return r("div",{class:"person",children:[r("button",{type:"button",class:"person-button",popovertarget:e,"aria-label":`Signed in as ${we()}: men\
u`,children:[r("span",{class:"person-initial","aria-hidden":"true",children:we().slice(0,1).toUpperCase()}),r("span",{class:"person-name",children:[r("span",{class:"\
clip",children:we()}),r("span",{class:"person-role",children:n})]})]}),r("div",{id:e,class:"person-menu",popover:"auto",children:[r("p",{children:[r("strong",{class:"\
said",children:we()}),r("br",{}),r("span",{class:"quiet",children:["Role ",n,": ",n&&Tn[n],"."]})]}),r("fieldset",{class:"person-themes",children:[r("legend",{children:"\
Colours"}),_r.map(o=>r(B,{kind:"quiet",icon:o.icon,label:o.name,pressed:xe.value===o.theme,onClick:()=>xn(o.theme)},o.theme))]}),r("a",{class:"person-link",href:"\
/docs",children:[r(_,{name:"book"})," All requests of this service"]}),r(B,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign out"}),t.problem.value&&
r(Ke,{problem:t.problem.value})]})]})}var M={fleet:(e={})=>L(["fleet"],e),phone:(e,t={})=>L(["phones",e],t),work:(e={})=>L(["work"],e),submit:(e={})=>L(["work","submit"],e),schedules:(e={})=>L(["wor\
k","schedules"],e),newSchedule:()=>L(["work","schedules","new"]),batch:(e,t={})=>L(["batches",e],t),task:e=>L(["tasks",e]),episode:(e,t={})=>L(["episodes",e],t),
attention:(e={})=>L(["attention"],e),health:(e={})=>L(["health"],e)};function to(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"schedu\
les":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var Lt=6,yr=[{href:M.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:M.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:M.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:M.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:M.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:M.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function oo(e,t,n){let o=e.
trim().toLowerCase(),a=yr.filter(s=>Ze(o,s.name,s.about));if(o==="")return n(a);let i=pe().filter(s=>Ze(o,s.serial,s.labels?.model,s.goal)).slice(0,Lt).map(s=>{
let l=s.labels?.model??"";return{href:M.phone(s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});n([...i,...a]);try{let[s,l]=await Promise.all(
[br(o,t),xr(o,t)]);t.aborted||n([...s,...l,...i,...a])}catch{}}function Ze(e,...t){return t.some(n=>n?.toLowerCase().includes(e))}async function br(e,t){return(await F(
"/batches",{limit:200},t)).items.filter(o=>Ze(e,o.id,o.name,o.owner,...o.tags)).slice(0,Lt).map(o=>({href:M.batch(o.id),icon:"layers",name:o.name||o.id,about:`${o.
id} \xB7 ${o.owner} \xB7 ${o.phase}`}))}async function xr(e,t){if(/^b\d+\.[a-z0-9_.-]+$/i.test(e))try{return[no(await F(`/tasks/${En(e)}`,{},t))]}catch{return[]}
return(await F("/tasks",{phase:"running",limit:500},t)).items.filter(o=>Ze(e,o.id,o.goal,o.phone)).slice(0,Lt).map(no)}function no(e){return{href:M.task(e.id),icon:"\
list",name:e.goal,about:`${e.id} \xB7 ${e.ending??e.phase}`}}var Ot=m(!1),wr=120;function Qe(){Ot.value=!0}function Sr(e){let t=e.target;return t instanceof HTMLElement&&(t.isContentEditable||/^(INPUT|TEXTAREA|SELECT)$/.test(
t.tagName))}function ro(){return R(()=>{let e=t=>{let n=t.key==="/"&&!Sr(t)&&!t.ctrlKey&&!t.metaKey&&!t.altKey,o=t.key.toLowerCase()==="k"&&(t.ctrlKey||t.metaKey);
!n&&!o||(t.preventDefault(),Qe())};return addEventListener("keydown",e),()=>removeEventListener("keydown",e)},[]),Ot.value?r(kr,{}):null}function kr(){let e=K(null),
t=A(""),n=A([]),o=A(0);R(()=>e.current?.showModal(),[]),R(()=>{let l=new AbortController,d=setTimeout(()=>{oo(t.value,l.signal,p=>{n.value=p,o.value=0})},wr);return()=>{
clearTimeout(d),l.abort()}},[t.value]);let a=()=>{Ot.value=!1},i=l=>{let d=n.value.length;if(l.key==="ArrowDown"&&d>0)o.value=(o.value+1)%d;else if(l.key==="Arr\
owUp"&&d>0)o.value=(o.value+d-1)%d;else if(l.key==="Enter"){let p=n.value[o.value];if(p===void 0)return;location.hash=p.href,a()}else return;l.preventDefault()},
s=n.value[o.value];return r("dialog",{ref:e,class:"palette","aria-label":"Search",onClose:a,onClick:l=>{l.target===e.current&&a()},children:[r("div",{class:"pal\
ette-field",children:[r(_,{name:"search"}),r("input",{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","\
aria-expanded":"true","aria-controls":"palette-found","aria-activedescendant":s?`palette-${o.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"\
off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.value=l.currentTarget.value,onKeyDown:i}),r("kbd",{children:"Esc"})]}),r("ul",{class:"palette-found",
id:"palette-found",role:"listbox","aria-label":"What was found",children:n.value.map((l,d)=>r("li",{id:`palette-${d}`,role:"option","aria-selected":d===o.value,
class:"palette-entry",onPointerMove:()=>o.value=d,onClick:()=>{location.hash=l.href,a()},children:[r(_,{name:l.icon}),r("span",{class:"clip",children:l.name}),r(
"span",{class:"palette-about clip",children:l.about})]},l.href))}),t.value!==""&&n.value.length===0&&r("p",{class:"palette-nothing quiet",children:"Nothing has \
these letters. Batches and tasks are found by name, goal or id."})]})}function Ye(){return r("span",{class:"wordmark",children:[r("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[r("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),r("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),r("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var Pr=[{section:"fleet",name:"Fleet",icon:"phone",href:M.fleet()},{section:"work",name:"Work",icon:"layers",href:M.work()},{section:"attention",name:"Attention",
icon:"warning",href:M.attention()},{section:"health",name:"Health",icon:"chart",href:M.health()}];function io(){let e=to(ze.value.path);return r("header",{class:"\
navigation",children:[r("a",{class:"navigation-home",href:M.fleet(),"aria-label":"Manyhands, the fleet",children:r(Ye,{})}),r("button",{type:"button",class:"nav\
igation-search",onClick:Qe,children:[r(_,{name:"search"}),r("span",{children:"Search"}),r("kbd",{"aria-hidden":"true",children:"/"})]}),r("nav",{class:"navigati\
on-list","aria-label":"Sections",children:Pr.map(t=>r("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[r(_,{name:t.
icon}),r("span",{class:"navigation-name",children:t.name}),r(Er,{section:t.section})]},t.section))}),r("div",{class:"navigation-end",children:[r(B,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:Qe}),r(eo,{})]})]})}function Er({section:e}){if(e==="attention"){let n=Se.value?.open??0;return n===
0?null:r("span",{class:"navigation-count navigation-count-bad",children:[W(n),r("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")return null;
let t=pe();return t.length===0?null:r("span",{class:"navigation-count",children:[W(t.length),r("span",{class:"unseen",children:" phones"})]})}function de(e){return r("div",{class:"empty",children:[e.icon&&r(_,{name:e.icon,size:24}),r("p",{class:"empty-title",children:e.title}),e.children&&r("div",{class:"\
empty-text",children:e.children}),e.action]})}var Mr=1e3,Cr=3e3,It=class{value=m(null);problem=m(null);settings;#t=new AbortController;#e;#n=!1;#o=!1;#s=-1/0;#r=!1;constructor(t){this.settings=t}reload=()=>this.#a(
0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#r=!1;let t=qe({onEvent:n=>{this.settings.isChangedBy?.(n)&&this.reload()},onOpen:this.reload});
return this.#i(),()=>{t(),this.#r=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#a(t){if(this.#r)return;if(this.#n){this.#o=!0;return}let n=this.#s+(this.
settings.everyMs??Mr)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#i()},Math.max(t,n,0)))}async#i(){this.#e=void 0,
this.#n=!0,this.#o=!1,this.#s=performance.now(),this.#t=new AbortController;let t=this.#t,n=this.settings.pollMs;try{let o=await this.settings.load(t.signal);t.
signal.aborted||this.put(o)}catch(o){if(t.signal.aborted)return;let a=q(o);this.problem.value=a,(a.status===0||a.status===503||a.status===429)&&(n=Cr)}finally{t===
this.#t&&(this.#n=!1)}t.signal.aborted||this.#r||(this.#o?this.#a(0):n!==void 0&&this.#a(n))}};function ao(e,t){let n=H(()=>new It(e),t),o=K(e);return o.current=
e,n.settings=e,R(()=>n.open(),[n]),n}function et({text:e}){let t=A(!1),n=async()=>{await navigator.clipboard.writeText(e),t.value=!0,setTimeout(()=>t.value=!1,2e3)};return r("div",{class:"copy-line",
children:[r("code",{class:"said",children:e}),r(B,{kind:"quiet",icon:t.value?"check":"copy",label:"Copy the command",onClick:()=>{n()}}),r("span",{class:"unseen",
role:"status",children:t.value?"Copied.":""})]})}function so(e){let t={value:"",name:"All",count:e.all};return r("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(n=>r("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===n.value,onClick:()=>e.onChoose(n.value),children:[n.name,n.count!==null&&r("span",{class:"chip-count",children:W(
n.count)})]},n.value))})}function lo(e){return r("header",{class:"page-head",children:[r("div",{class:"page-title",children:[e.crumbs&&r("nav",{class:"crumbs","aria-label":"Where this p\
age is",children:e.crumbs.map(t=>r("span",{class:"crumb",children:[r("a",{href:t.href,class:"clip",children:t.name}),r(_,{name:"right",size:12})]},t.href))}),r(
"h1",{class:"said",children:e.title}),e.about&&r("p",{class:"page-about quiet",children:e.about})]}),e.actions&&r("div",{class:"page-actions",children:e.actions})]})}function co(e){return r("label",{class:"search-box",children:[r(_,{name:"search"}),r("span",{class:"unseen",children:e.label}),r("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function uo(e){return r("div",{class:"segments",role:"group","aria-label":e.label,children:e.choices.map(t=>r("button",{type:"button",class:"segment",title:t.words,
"aria-label":t.words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:t.name},t.value))})}var fo=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function ho(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let n of e)t[n.phase]++;return t}function mo(e,t){let n=t.toLowerCase().split(/\s+/).filter(Boolean);return n.
length===0?e:e.filter(o=>{let a=Tr(o);return n.every(i=>a.includes(i))})}function Tr(e){let t=Object.entries(e.labels??{}).filter(([n])=>!n.startsWith("app:")).
map(([n,o])=>`${n}=${o}`);return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason].join(`
`).toLowerCase()}function vo(e){let t=new Set;for(let n of e)for(let o of Object.keys(n.labels??{}))!o.startsWith("app:")&&o!=="serial"&&t.add(o);return[...t].sort()}
function go(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let n=new Map;for(let o of e){let a=o.labels?.[t]??"",i=n.get(a);i?i.push(o):n.set(a,[o])}
return[...n].sort(([o],[a])=>o===""?1:a===""?-1:o.localeCompare(a,"en",{numeric:!0})).map(([o,a])=>({name:o||`no label ${t}`,phones:a}))}var tt=12,po=42,Ar={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function _o(e,t,n){let o=Ar[t],a=Math.max(1,Math.floor((n+tt)/(o.width+tt))),i=[],s=0;return e.
forEach((l,d)=>{l.name!==""&&(i.push({kind:"header",key:`h${d}`,top:s,height:po,group:l}),s+=po);for(let p=0;p<l.phones.length;p+=a){let u=l.phones.slice(p,p+a).
map(y=>y.serial);i.push({kind:"tiles",key:`${d}:${p}`,top:s,height:o.height,serials:u}),s+=o.height+tt}}),{columns:a,height:Math.max(0,s-tt),rows:i}}function yo(e,t,n){
let o=0,a=e.length;for(;o<a;){let s=o+a>>1,l=e[s];l.top+l.height<t?o=s+1:a=s}let i=o;for(;i<e.length&&e[i].top<=n;)i++;return[o,i]}var $r=15,Rr=42;function bo({percent:e,celsius:t}){if(e===null)return null;let n=t!==null&&t>=Rr,o=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${Bn(t)}\xA0\xB0C`}`;
return r("span",{class:`battery${e<=$r||n?" battery-bad":""}`,title:o,children:[r(_,{name:n?"warning":"bolt",size:11,label:o}),r("span",{"aria-hidden":"true",children:[
Math.round(e),"%"]})]})}function xo({since:e}){let t=We(()=>Nr(Ln.value-e));return r("span",{class:"num",children:t})}function Nr(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:$t(e)}var Lr=new Set(["capture","perceive","verify","plan","decide","act","note"]);function Wt({stages:e,most:t=4}){return r("span",{class:"stages",children:[e.slice(
0,t).map(n=>r("span",{class:"stage",children:[r("span",{class:`stage-dot stage-${Lr.has(n.stage)?n.stage:"other"}`}),r("span",{class:"clip",children:n.stage}),r(
xo,{since:n.since})]},`${n.stage}-${n.step}`)),e.length>t&&r("span",{class:"stage faint",children:["+",e.length-t]})]})}var nt={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},wo=11;function So({serial:e,size:t}){let n=Dn(e)?.value;return n===void 0?null:
r("a",{class:`tile tile-${t} tile-${n.phase}`,href:M.phone(e),children:[r(Ir,{phone:n}),r("div",{class:"tile-body",children:[r("div",{class:"tile-head",children:[
r(Wr,{phase:n.phase}),r("span",{class:"tile-serial clip mono",children:t==="s"?Or(e):e}),t!=="s"&&r(bo,{percent:n.battery??null,celsius:n.celsius??null})]}),t===
"s"?r(zr,{phone:n}):r(Fr,{phone:n,isLarge:t==="l"})]})]})}function Or(e){return e.length>wo?`\u2026${e.slice(1-wo)}`:e}function Ir({phone:e}){return r("div",{class:"\
tile-screen",children:[e.thumbnail?r("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):r(_,{name:"phone",size:20}),e.taken_over_by&&
r("span",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:r(_,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function Wr({
phase:e}){return r("span",{class:`dot dot-${e}`,title:nt[e],children:r("span",{class:"unseen",children:nt[e]})})}function zr({phone:e}){return e.phase==="busy"?
r(Wt,{stages:e.stages??[],most:1}):r("span",{class:"tile-line clip",children:nt[e.phase]})}function Fr({phone:e,isLarge:t}){let n=e.labels?.model;return e.phase!==
"busy"?r(E,{children:[r("span",{class:"tile-goal tile-idle",children:nt[e.phase]}),e.reason&&r("span",{class:"tile-doing said",children:e.reason}),r("span",{class:"\
tile-foot clip",children:n})]}):r(E,{children:[r("span",{class:"tile-goal said",children:e.goal||e.task}),r("span",{class:"tile-doing said",children:e.doing||e.
subgoal}),t&&e.subgoal&&e.subgoal!==e.doing&&r("span",{class:"tile-doing said",children:e.subgoal}),r(Wt,{stages:e.stages??[],most:t?4:2}),r("span",{class:"tile\
-foot clip",children:[e.step!=null&&r(E,{children:["step ",e.step+1," \xB7 "]}),e.owner&&r(E,{children:[e.owner," \xB7 "]}),n]})]})}var ko=400;function Po({groups:e,size:t}){let n=K(null),o=A(0),a=A("0 0"),i=H(()=>_o(e,t,o.value||1100),[e,t,o.value]),s=()=>{let p=n.current?.getBoundingClientRect().
top??0,[u,y]=yo(i.rows,-p-ko,innerHeight-p+ko);a.value=`${u} ${y}`};gt(()=>{let p=n.current;if(p===null)return;o.value=p.clientWidth;let u=new ResizeObserver(()=>o.
value=p.clientWidth);return u.observe(p),()=>u.disconnect()},[]),gt(s,[i]),R(()=>{let p=0,u=()=>{p||=requestAnimationFrame(()=>{p=0,s()})};return addEventListener(
"scroll",u,{passive:!0}),addEventListener("resize",u),()=>{removeEventListener("scroll",u),removeEventListener("resize",u),cancelAnimationFrame(p)}},[i]);let[l=0,
d=0]=a.value.split(" ").map(Number);return r("div",{ref:n,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,d).map(p=>r(Jr,{row:p,columns:i.
columns,size:t},p.key))})}function Jr({row:e,columns:t,size:n}){let o={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?r("h2",
{class:"wall-header",style:o,children:[r("span",{class:"clip",children:e.group.name}),r("span",{class:"faint",children:jn(e.group.phones.length,"phone")})]}):r(
"div",{class:"wall-row",style:{...o,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(a=>r(So,{serial:a,size:n},a))})}var Hr=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function Eo(){
let e=ao({load:c=>F("/status",{},c),isChangedBy:c=>/^(phone|model)\./.test(c.kind),pollMs:5e3},[]),t=z("phase"),n=z("q"),o=z("group"),a=["s","m","l"].includes(z(
"size"))?z("size"):"m",i=We(()=>{Jn.value;let c=pe(),f=mo(c,z("q")),k=z("phase")?f.filter(g=>g.phase===z("phase")):f;return{all:c.length,counts:ho(f),found:f.length,
chosen:k.length,labels:vo(c),groups:go(k,z("group"))}}),{all:s,counts:l,found:d,chosen:p,labels:u,groups:y}=i.value,b=e.value.value?.waiting_for??[];return r(E,
{children:[r(lo,{title:"Fleet",about:r(Xr,{status:e.value.value})}),b.length>0&&r(Yn,{tone:"warn",children:[r("p",{children:"Tasks wait for:"}),r("ul",{class:"n\
ote-list",children:b.map(c=>r("li",{class:"said",children:c},c))})]}),s===0?r(Ur,{isReady:Hn.value&&(e.value.value?.is_ready??!1)}):r(E,{children:[r("div",{class:"\
toolbar",children:[r(co,{value:n,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:c=>ce({q:c})}),r(so,{label:"Phases",chosen:t,all:d,choices:fo.
map(c=>({value:c.phase,name:c.name,count:l[c.phase]})),onChoose:c=>ce({phase:c})}),r("div",{class:"toolbar-end",children:[r("label",{class:"toolbar-select",children:[
r("span",{class:"quiet",children:"Group by"}),r("select",{class:"input",value:o,onChange:c=>ce({group:c.currentTarget.value}),children:[r("option",{value:"",children:"\
nothing"}),u.map(c=>r("option",{value:c,children:c},c))]})]}),r(uo,{label:"Size",value:a,choices:Hr,onChoose:c=>ce({size:c==="m"?"":c})})]})]}),p===0?r(de,{icon:"\
search",title:"No phone is chosen by these filters",children:r("button",{type:"button",class:"link-button",onClick:()=>ce({q:"",phase:""}),children:["Show all ",
W(s)," phones"]})}):r(Po,{groups:y,size:a})]})]})}function Xr({status:e}){return e===null?null:r(E,{children:[W(e.running)," running \xB7 ",W(e.waiting)," waiti\
ng \xB7 ",W(e.ended)," ended"]})}function Ur({isReady:e}){return e?r(de,{icon:"phone",title:"The fleet has no phones",action:r(et,{text:"manyhands attach SERIAL"}),
children:["Attach a phone that adb lists, or start the service with phones, such as ",r("code",{children:"--phones virtual:2"})," for two virtual ones. It appea\
rs here at once."]}):r(de,{icon:"clock",title:"The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This p\
age shows them as they come."})}function Mo(){let e=ze.value.path,t=Dr(e);return R(()=>{Ve.value=t.name},[t.name]),R(()=>{scrollTo({top:0})},[e.join("/")]),r(E,{children:t.page()})}function Dr(e){
let[t="fleet"]=e;return t==="fleet"?{name:"Fleet",page:()=>r(Eo,{})}:{name:"No such page",page:()=>r(qr,{})}}function qr(){return r(de,{icon:"search",title:"The\
re is no such page",children:["Perhaps the address was cut off when it was copied. The ",r("a",{href:M.fleet(),children:"fleet"})," is the first page."]})}function Co({problem:e}){let t=A(!1),n=async o=>{o.preventDefault();let a=o.currentTarget,i=String(new FormData(a).get("token")??"").trim();i!==""&&(t.value=!0,
await Pt(i),t.value=!1)};return r("main",{class:"sign-in",children:r("form",{class:"sign-in-form panel",onSubmit:o=>{n(o)},children:[r("h1",{children:r(Ye,{})}),
r("p",{class:"quiet",children:"Sign in to this service with your token."}),r("label",{class:"field",children:[r("span",{class:"field-label",children:"Token"}),r(
"input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&r(Ke,{problem:e}),r(B,{type:"submit",kind:"\
primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),r("div",{class:"sign-in-help quiet",children:[r("p",{children:["The first start of the\
 service prints its token, and keeps it in the file ",r("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),r(et,{text:"manyhands \
tokens make YOUR-NAME --role submit"})]})]})})}function To(){let e=Cn.value;return e.kind==="asking"?r("main",{class:"shell-wait","aria-busy":"true",children:r("p",{class:"quiet",children:[r(_,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="out"?r(Co,{problem:e.problem}):r(Br,{})}function Br(){return R(()=>{Et([zn(),Xn()]);let e=Kn();return()=>{
Et([]),e(),Fn(),Un()}},[]),r("div",{class:"shell",children:[r("a",{class:"skip-link",href:"#/",onClick:jr,children:"Skip to the page"}),r(io,{}),r("div",{class:"\
shell-page",children:[r(qn,{}),r("main",{id:"page",tabIndex:-1,children:r(Mo,{})})]}),r(ro,{})]})}function jr(e){e.preventDefault(),document.getElementById("pag\
e")?.focus()}xt();On();$n();Qt(r(To,{}),document.getElementById("app"));})();
