"use strict";(()=>{var N,ba,po,qe,co,cn,xa,sn,wa,mo,uo,Tl,Ct=Symbol.for("pv"),dn={},un=[],Cl=/^m(i|n|o|s|text|space)$/,fo=Array.isArray,ho=un.slice,et=Object.assign;function Ze(e){
e&&e.parentNode&&e.remove()}function Sa(e,t,o){var a,r,i,s={},l=arguments.length;for(i in t)i=="key"?a=t[i]:i=="ref"&&typeof e!="function"?r=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?ho.call(arguments,2):o),Tt(e,s,a,r,null)}function Tt(e,t,o,a,r){var i={type:e,props:t,key:o,ref:a,__k:null,__:null,__b:0,__e:null,__c:null,constructor:Ct,__v:r||++ba,__i:-1,__u:0};return!r&&N.vnode&&N.
vnode(i),i}function h(e){return e.children}function pt(e,t){this.props=e,this.context=t,this.__g=0}function ze(e,t){if(t==null)return e.__&&ze(e.__,e.__i+1);for(var o;t<e.
__k.length;t++)if((o=e.__k[t])&&o.__e)return o.__e;return typeof e.type!="function"||e.props.__P?null:ze(e)}function Ml(e){var t,o=e.__v,a=o.__e,r=[],i=[],s=e.__P;
s&&((t=et({constructor:Ct},o)).__v=o.__v+1,N.vnode&&N.vnode(t),go(s,t,o,e.__n,s.namespaceURI,32&o.__u?[a]:null,r,a||ze(o),32&o.__u,i),t.__v=o.__v,t.__.__k[t.__i]=
t,Ca(r,t,i),o.__=o.__e=null,t.__e!=a&&ka(t))}function ka(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
ka(e)}function va(e){(8&e.__g||(e.__g|=8,qe.push(e),cn++))&&co==N.debounceRendering||((co=N.debounceRendering)||queueMicrotask)(_a)}function _a(){try{for(var e,
t=1;qe.length;)qe.length>t&&qe.sort(xa),e=qe.shift(),t=qe.length,8&e.__g&&Ml(e)}finally{(cn=qe.length)&&(co||queueMicrotask)(_a)}}function Ea(e,t,o,a,r,i,s,l,c,d,u){
var m,f,p,g,b,E,k=a.__k||un,$=t.length;for(c=Rl(o,t,k,c,$),m=0;m<$;m++)(p=o.__k[m])!=null&&(f=~p.__i&&k[p.__i]||dn,p.__i=m,E=go(e,p,f,r,i,s,l,c,d,u),g=p.__e,(f.
ref!=p.ref||8&f.__u)&&(f.ref&&vo(f.ref,null,p,f),p.ref&&u.push(p.ref,p.__c||g,p)),b=b||g,4&p.__u?(c=Pa(p,c,e,!f.__v),f.__e&&(f.__e=null)):typeof p.type=="functi\
on"&&E!==void 0?c=E:g&&(c=g.nextSibling),p.__u&=-21);return o.__e=b,c}function Rl(e,t,o,a,r){var i,s,l,c,d,u,m,f,p,g=o.length,b=g,E=0,k=0,$=e.__k=Array(r);for(i=
0;i<r;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=$[i]=Tt(null,s):fo(s)?s=$[i]=Tt(h,{children:s}):
s.constructor===Ct&&s.__b?s=$[i]=Tt(s.type,s.props,s.key,s.ref,s.__v):$[i]=s,c=i+E,s.__=e,s.__b=e.__b+1,l=null,~(d=s.__i=Al(s,o,c,b))&&(b--,(l=o[d])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,d==c-1?E--:d==c+1?E++:d!=c&&(d>c?E--:E++,k=1)):(~d||(r>g?E--:r<g&&E++),typeof s.type!="function"&&(s.__u|=4))):$[i]=null;if(k){for(u=[],m=[],
i=0;i<r;i++)if((s=$[i])&&16&s.__u){for(E=0,f=u.length;E<f;)u[p=E+f>>1]<s.__i?E=p+1:f=p;u[E]=s.__i,m[i]=E+1}for(E=u.length;i--;)m[i]&&(m[i]==E?E--:$[i].__u|=4)}if(b)
for(i=0;i<g;i++)!(l=o[i])||2&l.__u||(l.__e==a&&(a=ze(l)),yo(l,l));return a}function Pa(e,t,o,a){var r,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(r=e.__k)for(i=0;i<r.length;i++)r[i]&&(r[i].__=e,t=Pa(r[i],t,o,!1));return t}for(t&&!t.parentNode&&(t=ze(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!a&&o.moveBefore&&s.parentNode?o.moveBefore(s,t):o.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function Al(e,t,o,a){var r,i=e.key,s=e.type,l=t[o],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return o;if(a>(c?1:0)){for(r=o-1;r>=0;r--)if((l=
t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r;for(r=o+1;r<t.length;r++)if((l=t[r])&&!(2&l.__u)&&i==l.key&&s==l.type)return r}return-1}function ya(e,t,o){o==null&&
(o=""),t[0]=="-"?e.setProperty(t,o):e[t]=o}function rn(e,t,o,a,r){var i,s;if(t=="style")if(typeof o=="string")e.style.cssText=o;else{if(typeof a=="string"&&(e.style.
cssText=a=""),a)for(t in a)o&&t in o||ya(e.style,t);if(o)for(t in o)a&&o[t]==a[t]||ya(e.style,t,o[t])}else if(t[0]=="o"&&t[1]=="n")typeof o!="function"&&(o=null),
typeof a!="function"&&(a=null),(e.__e||(e.__e={}))[t]=o,o&&a||(s=uo[t]||(uo[t]=Ll(t)),(e.__a||(e.__a={}))[t]=mo,i=t!=(t=t.replace(wa,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),o?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(r=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=o??"")}catch{}if(typeof o=="function")return;o==null||o===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&o==1?"":o)}}function Ll(e){
return function(t){var o=this.__e;if(o){if(o=o[e],t[sn]==null)t[sn]=mo++;else if(t[sn]<this.__a[e])return;return o(N.event?N.event(t):t)}}}function go(e,t,o,a,r,i,s,l,c,d){
var u,m,f,p,g,b,E,k,$,H,V,A,K,he,Re,an,Xe,Qe,Ae=t.type;if(t.constructor!==Ct)return null;128&o.__u&&(c=32&o.__u,u=o.__c.__z)&&(t.__u|=c,m=i=[],u.nodeType==8?l=ln(
u,i):i.push(u),l=i[0]||l),(u=N.__b)&&u(t);e:if(typeof Ae=="function"){f=s.length;try{if(k=t.props,$=(u=Ae.prototype)&&u.render,H=(u=Ae.contextType)&&a[u.__c],V=
u?H?H.props.value:u.__:a,(p=o.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):($?t.__c=p=new Ae(k,V):(t.__c=p=new pt(k,V),p.constructor=Ae,p.render=Bl),H&&H.sub(p),p.state||
(p.state={}),p.__n=a,p.__g|=8,p.__h=[],p.__k=[]),$&&(p.__s||(p.__s=p.state),Ae.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=et({},p.__s)),et(p.__s,Ae.getDerivedStateFromProps(
k,p.__s)))),g=p.props,b=p.state,p.__v=t,o.__c){if(k!==g&&$&&!Ae.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(k,V),t.__v==o.
__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(k,p.__s,V)===!1){t.__v!=o.__v&&(p.props=k,p.state=p.__s,p.__g&=-9),t.__e=o.__e,t.__k=
o.__k,t.__k.some(function(be){be&&(be.__=t)}),un.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&s.push(p),l=ze(o);break e}p.componentWillUpdate&&p.componentWillUpdate(
k,p.__s,V),$&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(g,b,E)})}else $&&!Ae.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),
$&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=V,p.props=k,p.__P=e,p.__g&=-5,A=N.__r,K=$?25:0;do p.__g&=-9,A&&A(t),u=p.render(p.props,p.state=
p.__s,p.context);while(8&p.__g&&++K<25);$&&(un.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(a=et({},a,p.getChildContext())),$&&o.__c&&p.getSnapshotBeforeUpdate&&
(E=p.getSnapshotBeforeUpdate(g,b)),he=u&&u.type===h&&u.key==null?u.props.children:u,k.__P&&(u=l,r=(e=k.__P).namespaceURI,c=i=null,o.props&&o.props.__P!=e&&(o.__k.
some(function(be){be&&yo(be,be)}),o.__k=null),l=o.__k?ze(o,0):null),l=Ea(e,fo(he)?he:[he],t,o,a,r,i,s,l,c,d),k.__P&&(t.__e=null,l=u),t.__u&=-161,m&&m.some(Ze),p.
__h.length&&s.push(p),1&p.__g&&(p.__g&=-4)}catch(be){if(s.length=f,t.__v=null,c||i)if(be&&be.then){if(t.__u|=128|c,i){for(~(Xe=i.indexOf(l||void 0))||(Xe=i.length);(Qe=
i[Xe-1])&&Qe.nodeType==8;)Xe--;for(;Xe<i.length;Xe++)if(Qe=i[Xe])if(i[Xe]=null,Re){if(Qe==an)break}else{if(Qe.nodeType!=8)break;Qe.data.startsWith("$s")&&(an=ln(
Re=Qe))}}if(!Re){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;Re=l}(u=ln(Re=t.__c.__z||(t.__c.__z=Re)))?(t.__e=Re,l=u):t.__e=l,l=l&&l.nextSibling}else i&&
i.some(Ze);else t.__e=o.__e;t.__k||(t.__k=o.__k||[]),be&&be.then||Ta(t),N.__e(be,t,o)}}else l=t.__e=$l(o.__e,t,o,a,r,i,s,c,d,e);return(u=N.diffed)&&u(t),l}function ln(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var o=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))o++;else if(e.data.startsWith("/$s")&&!--o)
return e}t&&t.push(e)}}function Ta(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(Ta))}function Ca(e,t,o){for(var a=0;a<o.length;)vo(o[a++],o[a++],o[a++]);N.__c&&
N.__c(t,e),e.some(function(r){try{e=r.__h,r.__h=[],e.some(function(i){i.call(r)})}catch(i){N.__e(i,r.__v)}})}function $l(e,t,o,a,r,i,s,l,c,d){var u,m,f,p,g,b,E,
k,$=o.props||dn,H=t.props,V=t.type;if(V=="svg"?r="http://www.w3.org/2000/svg":V=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xht\
ml"),i){for(u=0;u<i.length;u++)if((g=i[u])&&(V?g.localName==V:g.nodeType==3)){e=g,i[u]=null;break}}if(!e){if(k=d.ownerDocument||document,!V)return k.createTextNode(
H);e=k.createElementNS(r,V,H.is?H:d),l&&(N.__m&&N.__m(t,i),l=!1),i=null}if(V){if(d=V=="template"&&e.content||e,i=V=="textarea"&&H.defaultValue!=null?null:i&&ho.
call(d.childNodes),!l&&i)for($={},u=0;u<e.attributes.length;u++)$[(g=e.attributes[u]).name]=g.value;for(u in $)g=$[u],u=="dangerouslySetInnerHTML"?f=g:u=="child\
ren"||u in H||u=="value"&&"defaultValue"in H||u=="checked"&&"defaultChecked"in H||rn(e,u,null,g,r);for(u in H)g=H[u],u=="children"?p=g:u=="dangerouslySetInnerHT\
ML"?m=g:u=="value"?b=g:u=="checked"?E=g:l&&typeof g!="function"||$[u]===g||rn(e,u,g,$[u],r);m?(l||f&&(m.__html==f.__html||m.__html==e.innerHTML)||(e.innerHTML=m.
__html),t.__k=[]):(f&&(e.textContent=""),(V=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Cl.test(V))&&(r="http://www.w3.org/1999/xhtml"),Ea(d,fo(p)?
p:[p],t,o,a,r,i,s,i?i[0]:o.__k&&ze(o,0),l,c),i&&i.some(Ze)),l&&V!="textarea"||(u="value",V=="progress"&&b==null?e.removeAttribute(u):b==null||b===e[u]&&(V!="pro\
gress"||b)||rn(e,u,b,$[u],r),u="checked",E!=null&&E!=e[u]&&rn(e,u,E,$[u],r))}else $===H||l&&e.data==H||(e.data=H);return e}function vo(e,t,o,a){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:a&&(a=a.__c||a.__e)&&(t=a.__x)&&(a.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(r){N.__e(r,o)}}function yo(e,t,o){var a,
r,i,s;if(N.unmount&&N.unmount(e),!(a=e.ref)||a.current&&a.current!=e.__e||vo(a,null,t,e),a=e.__c){if(a.componentWillUnmount)try{a.componentWillUnmount()}catch(l){
N.__e(l,t)}a.__P=a.__n=null}if(a=e.__k)for(s=0;s<a.length;s++)a[s]&&yo(a[s],t,typeof e.type!="function"||o&&!e.props.__P);!o&&(a=e.__c)&&(a=a.__z)&&(r=ln(a,i=[]))&&
(a==e.__e&&i.some(Ze),Ze(r),Ze(a)),o||Ze(e.__e),e.__e=e.__c=e.__=null}function Bl(e,t,o){return this.constructor(e,o)}function Ma(e,t){var o,a,r,i;N.__&&N.__(e,
t),t.nodeType==9&&(t=t.documentElement),a=(o=e&&32&e.__u)?null:t.__k,t.__k=Tt(h,{children:[e]}),r=[],i=[],go(t,t.__k,a||dn,dn,t.namespaceURI,a?null:t.firstChild?
ho.call(t.childNodes):null,r,a?a.__e:t.firstChild,o,i),Ca(r,t.__k,i),t.__k.props.children=null}N={__e:function(e,t,o,a){for(var r,i,s;t=t.__;)if((r=t.__c)&&!(1&r.__g)){r.__g|=4;try{if((s=(i=r.constructor)&&i.getDerivedStateFromError)&&r.setState(i.getDerivedStateFromError(
e)),r.componentDidCatch&&(r.componentDidCatch(e,a||{}),s=1),s&&8&r.__g)return void(r.__g|=2)}catch(l){e=l}}throw cn=0,e}},ba=0,po=function(e){return e!=null&&e.
constructor===Ct},pt.prototype.setState=function(e,t){var o=this.__s;o&&o!=this.state||(o=this.__s=et({},this.state)),typeof e=="function"&&(e=e(et({},o),this.props)),
e&&(et(o,e),this.__v&&(t&&this.__k.push(t),va(this)))},pt.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),va(this))},pt.prototype.render=
h,qe=[],cn=0,xa=function(e,t){return e.__v.__b-t.__v.__b},sn=Symbol(),wa=/(PointerCapture)$|Capture$/i,mo=0,uo={},Tl=0;var tt,Z,bo,Ra,xo=Object.is,pn=0,Ja=[],wo=[],Q=N,Aa=Q.__b,La=Q.__r,$a=Q.diffed,Ba=Q.__c,Na=Q.unmount,Oa=Q.__;function Rt(e,t){Q.__h&&Q.__h(Z,e,pn||t),pn=0;var o=Z.
__H||(Z.__H={__:[],__h:[]});return e>=o.__.length&&o.__.push({}),o.__[e]}function _(e){return pn=1,Nl(Wa,e)}function Nl(e,t,o){var a=Rt(tt++,2);if(a.t=e,!a.__c&&
(a.__=[o?o(t):Wa(void 0,t),function(i){var s=(a.__N||a.__)[0],l=a.t(s,i);xo(s,l)||(a.__N=[l,a.__[1]],a.__c.setState({}))}],a.__c=Z,!Z.__f)){Z.__f=!0;var r=Z.shouldComponentUpdate;
Z.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var d=!1,u=this.props!=i;if(c.__.some(function(f){f.__N&&(d=!0,xo(f.__[0],f.__N[0])||(u=!0))}),
r){var m=r.call(this,i,s,l);return d?m||u:m}return!d||u}}return a.__}function S(e,t){var o=Rt(tt++,3);!Q.__s&&ko(o.__H,t)&&(o.__P=!0,o.__=e,o.u=t,Z.__H.__h.push(
o))}function ne(e,t){var o=Rt(tt++,4);!Q.__s&&ko(o.__H,t)&&(o.__P=!1,o.__=e,o.u=t,Z.__h.push(o))}function B(e){return pn=5,q(function(){return{current:e}},[])}function q(e,t){var o=Rt(tt++,7);return ko(o.__H,t)&&(o.__=e(),o.__H=t),o.__}function mn(){var e=Rt(tt++,11);if(!e.__){for(var t=Z.__v;!t.__m&&t.__;)t=t.__;var o=t.__m||(t.__m=[0,0]);e.__="P"+o[0]+"-"+o[1]++}return e.__}function Ol(){var e;
do{for(;e=wo.shift();)try{Mt(e)}catch(o){Q.__e(o,{__:(e=e.__P)&&e.__v})}for(;e=Ja.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Mt),t.__h.some(So),t.__h=[]}catch(o){
t.__h=[],Q.__e(o,e.__v)}}}while(wo.length)}Q.__b=function(e){Z=null,Aa&&Aa(e)},Q.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),Oa&&Oa(e,t)},Q.__r=function(e){
La&&La(e),tt=0;var t=(Z=e.__c).__H;t&&(bo==Z?Z.__h=[]:(t.__h.some(Mt),t.__h.some(So),tt=0),t.__h=[],t.__.some(function(o){o.__N&&(o.__=o.__N),o.u=o.__N=void 0})),
bo=Z},Q.diffed=function(e){$a&&$a(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&Ia(Ja.push(t)),t.__H.__.some(function(o){o.u&&(o.__H=o.u)})),bo=Z=null},Q.__c=function(e,t){
t.some(function(o){try{o.__h.some(Mt),o.__h=o.__h.filter(function(a){return!a.__||So(a)})}catch(a){o.__h=[function(){throw a}]}}),Ba&&Ba(e,t)},Q.unmount=function(e){
Na&&Na(e);var t,o,a=e.__c;a&&a.__H&&(a.__H.__.some(function(r){try{if(r.__P&&r.__c){if(o===void 0){for(o=e.__;o&&(!o.__c||!o.__c.__P);)o=o.__;o=o&&o.__c}r.__P=o,
Ia(wo.push(r))}else Mt(r)}catch(i){t=i}}),a.__H=void 0,t&&Q.__e(t,a.__v))};var Fa=typeof requestAnimationFrame=="function";function Fl(e){var t,o=function(){clearTimeout(
a),Fa&&cancelAnimationFrame(t),setTimeout(e)},a=setTimeout(o,35);Fa&&(t=requestAnimationFrame(o))}function Ia(e){e!=1&&Ra==Q.requestAnimationFrame||((Ra=Q.requestAnimationFrame)||
Fl)(Ol)}function Mt(e){var t=Z,o=e.__c;typeof o=="function"&&(e.__c=void 0,o()),Z=t}function So(e){var t=Z;e.__c=e.__(),Z=t}function ko(e,t){return!e||e.length!=
t.length||t.some(function(o,a){return!xo(o,e[a])})}function Wa(e,t){return typeof t=="function"?t(e):t}var Il=Symbol.for("preact-signals");function vn(){if(Le>1)Le--;else{var e,t=!1;for((function(){var r=hn;for(hn=void 0;r!==void 0;){var i=r.S;if(i.v===r.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===r.i&&(s.i=i.i);r=r.o}})();Lt!==void 0;){var o=Lt;for(Lt=void 0,fn++;o!==void 0;){var a=o.u;if(o.u=void 0,o.f&=-3,!(8&o.f)&&qa(o))try{o.
c()}catch(r){t||(e=r,t=!0)}o=a}}if(fn=0,Le--,t)throw e}}function mt(e){if(Le>0)return e();_o=++Jl,Le++;try{return e()}finally{vn()}}var At,j=void 0;function $t(e){
var t=j,o=At;j=void 0,At=void 0;try{return e()}finally{j=t,At=o}}var Lt=void 0,Le=0,fn=0,Jl=0,_o=0,hn=void 0,gn=0;function Xa(e){if(j!==void 0){var t=e.n;if(t===
void 0||t.t!==j)return t={i:0,S:e,p:j.s,n:void 0,t:j,e:void 0,x:void 0,r:t},j.s!==void 0&&(j.s.n=t),j.s=t,e.n=t,32&j.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=j.s,t.n=void 0,j.s.n=t,j.s=t),t}}function oe(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}oe.prototype.brand=Il;oe.prototype.h=function(){return!0};oe.prototype.S=function(e){var t=this,o=this.t;o!==e&&
e.e===void 0&&(e.x=o,this.t=e,o!==void 0?o.e=e:$t(function(){var a;(a=t.W)==null||a.call(t)}))};oe.prototype.U=function(e){var t=this;if(this.t!==void 0){var o=e.
e,a=e.x;o!==void 0&&(o.x=a,e.e=void 0),a!==void 0&&(a.e=o,e.x=void 0),e===this.t&&(this.t=a,a===void 0&&$t(function(){var r;(r=t.Z)==null||r.call(t)}))}};oe.prototype.
subscribe=function(e){var t=this;return $e(function(){var o=t.value;$t(function(){return e(o)})},{name:"sub"})};oe.prototype.valueOf=function(){return this.value};
oe.prototype.toString=function(){return this.value+""};oe.prototype.toJSON=function(){return this.value};oe.prototype.peek=function(){var e=this;return $t(function(){
return e.value})};Object.defineProperty(oe.prototype,"value",{get:function(){var e=Xa(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.
v){if(fn>100)throw new Error("Cycle detected");(function(o){Le!==0&&fn===0&&o.l!==_o&&(o.l=_o,hn={S:o,v:o.v,i:o.i,o:hn})})(this),this.v=e,this.i++,gn++,Le++;try{
for(var t=this.t;t!==void 0;t=t.x)t.t.N()}finally{vn()}}}});function P(e,t){return new oe(e,t)}function qa(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.
S.h()||t.S.i!==t.i)return!0;return!1}function za(e){for(var t=e.s;t!==void 0;t=t.n){var o=t.S.n;if(o!==void 0&&(t.r=o),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}
function Da(e){for(var t=e.s,o=void 0;t!==void 0;){var a=t.p;t.i===-1?(t.S.U(t),a!==void 0&&(a.n=t.n),t.n!==void 0&&(t.n.p=a)):o=t,t.S.n=t.r,t.r!==void 0&&(t.r=
void 0),t=a}e.s=o}function nt(e,t){oe.call(this,void 0,t),this.x=e,this.s=void 0,this.g=gn-1,this.f=4}nt.prototype=new oe;nt.prototype.h=function(){if(this.f&=-3,
1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===gn))return!0;if(this.g=gn,this.f|=1,this.i>0&&!qa(this))return this.f&=-2,!0;var e=j;try{za(this),j=this;
var t=this.x();(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(o){this.v=o,this.f|=16,this.i++}return j=e,Da(this),this.f&=-2,!0};nt.
prototype.S=function(e){if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}oe.prototype.S.call(this,e)};nt.prototype.U=function(e){if(this.
t!==void 0&&(oe.prototype.U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};nt.prototype.N=function(){if(!(2&this.f)){this.
f|=6;for(var e=this.t;e!==void 0;e=e.x)e.t.N()}};Object.defineProperty(nt.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=Xa(
this);if(this.h(),e!==void 0&&(e.i=this.i),16&this.f)throw this.v;return this.v}});function ge(e,t){return new nt(e,t)}function Ha(e){var t=e.j;if(e.j=void 0,typeof t==
"function"){Le++;var o=j;j=void 0;try{t()}catch(a){throw e.f&=-2,e.f|=8,Eo(e),a}finally{j=o,vn()}}}function Eo(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,
e.s=void 0,Ha(e)}function Wl(e){if(j!==this)throw new Error("Out-of-order effect");Da(this),j=e,this.f&=-2;try{8&this.f&&Eo(this)}finally{vn()}}function ft(e,t){
this.x=e,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=t?.name,At&&At.push(this)}ft.prototype.c=function(){var e=this.S();try{if(8&this.f||this.
x===void 0)return;var t=this.x();typeof t=="function"&&(this.j=t)}finally{e()}};ft.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=
1,this.f&=-9,Ha(this),za(this),Le++;var e=j;return j=this,Wl.bind(this,e)};ft.prototype.N=function(){2&this.f||(this.f|=2,this.u=Lt,Lt=this)};ft.prototype.d=function(){
this.f|=8,1&this.f||Eo(this)};ft.prototype.dispose=function(){this.d()};function $e(e,t){var o=new ft(e,t);try{o.c()}catch(r){throw o.d(),r}var a=o.d.bind(o);return a[Symbol.
dispose]=a,a}var Ua,Nt,yn,Xl=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var Va=[];$e(function(){Ua=this.N})();function ht(e,t){N[e]=t.bind(null,N[e]||function(){})}function Bt(e){if(yn){var t=yn;yn=void 0,t()}yn=e&&e.S()}function ja(e){
var t=this,o=e.data,a=T(o);a.name="ReactiveDom",a.value=o;var r=q(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var d=ge(function(){var p=a.
value.value;return p===0?0:p===!0?"":p||""}),u=ge(function(){return!Array.isArray(d.value)&&!po(d.value)}),m=$e(function(){if(this.N=Ka,u.value){var p=d.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=p)}}),f=t.__$u.d;return t.__$u.d=function(){m(),f.call(this)},[u,d]},[]),i=r[0],s=r[1];return i.value?s.
peek():s.value}ja.displayName="ReactiveTextNode";Object.defineProperties(oe.prototype,{constructor:{configurable:!0,value:Sa(h,null).constructor},type:{configurable:!0,
value:ja},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});ht("__b",function(e,t){if(Bt(),
Nt=void 0,typeof t.type=="string"){var o,a=t.props;for(var r in a)if(r!=="children"){var i=a[r];i instanceof oe&&(o||(t.__np=o={}),o[r]=i,a[r]=i.peek())}}e(t)});
ht("__r",function(e,t){if(e(t),t.type!==h){Bt();var o,a=t.__c;a&&(a.__$f&=-2,(o=a.__$u)===void 0&&(a.__$u=o=(function(r,i){var s;return $e(function(){s=this},{name:i}),
s.c=r,s})((function(r){return function(){var i;Xl&&((i=this.y)==null||i.call(this)),r.__$f|=1,r.setState({})}})(a),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Nt=a,Bt(o)}});ht("__e",function(e,t,o,a){Bt(),Nt=void 0,e(t,o,a)});ht("diffed",function(e,t){Bt(),Nt=void 0;var o;if(typeof t.type=="string"&&
(o=t.__e)){var a=t.__np,r=t.props,i=o.U;if(i)for(var s in i){var l=i[s];l===void 0||a&&s in a||(l.d(),i[s]=void 0)}if(a){i||(i={},o.U=i);for(var c in a){var d=i[c],
u=a[c];d===void 0?(d=ql(o,c,u,r),i[c]=d):d.o(u,r)}}}e(t)});function ql(e,t,o,a){var r=t in e&&e.ownerSVGElement===void 0,i=P(o);return{o:function(s,l){i.value=s,
a=l},d:$e(function(){this.N=Ka;var s=i.value.value;a[t]!==s&&(a[t]=s,r?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}ht("unm\
ount",function(e,t){if(typeof t.type=="string"){var o=t.__e;if(o){var a=o.U;if(a){o.U=void 0;for(var r in a){var i=a[r];i&&i.d()}}}var s=t.__np;if(s){var l=t.props;
for(var c in s)l[c]=s[c]}t.__np=void 0}else{var d=t.__c;if(d){d.__$f|=8;var u=d.__$u;u&&(d.__$u=void 0,u.d())}}e(t)});ht("__h",function(e,t,o,a){a<3&&(t.__$f|=2),
e(t,o,a)});pt.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var o=this.__$u,a=o&&o.s!==void 0;for(var r in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(a||i||4&this.__$f)||1&this.__$f)return!0}else if(!(a||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function T(e,t){return q(function(){return P(e,t)},[])}function ot(e,t){
var o=B(e);return o.current=e,Nt.__$f|=4,q(function(){return ge(function(){return o.current()},t)},[])}var zl=function(e){queueMicrotask(function(){queueMicrotask(e)})};function Dl(){mt(function(){for(var e;e=Va.shift();)Ua.call(e)})}function Ka(){Va.push(this)===1&&(N.requestAnimationFrame||zl)(Dl)}var Ga="manyhands-theme",Ot=P(Hl());function Hl(){try{let e=localStorage.getItem(Ga);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function Ya(e){
Ot.value=e;try{localStorage.setItem(Ga,e)}catch{}Po()}function Po(){let e=document.documentElement;Ot.value==="system"?delete e.dataset.theme:e.dataset.theme=Ot.
value,Qa.value+=1}var Qa=P(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{Qa.value+=1});var gt=P(To(location.hash)),Be=ge(()=>gt.value);addEventListener("hashchange",()=>{gt.value=To(location.hash)});function To(e){let t=e.replace(/^#\/?/,""),o=t.indexOf(
"?"),a=(o<0?t:t.slice(0,o)).split("/").filter(Boolean).map(Ul),r=Object.create(null);if(o>=0)for(let[i,s]of new URLSearchParams(t.slice(o+1)))s&&(r[i]=s);return{
path:a,choices:r}}function Ul(e){try{return decodeURIComponent(e)}catch{return e}}function de(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(t))
i!=null&&i!==""&&i!==!1&&o.set(r,String(i));let a=o.toString();return`#/${e.map(encodeURIComponent).join("/")}${a&&`?${a}`}`}function ue(e,t={},{replace:o=!1}={}){
let a=de(e,t);a!==location.hash&&(o?history.replaceState(null,"",a):history.pushState(null,"",a),gt.value=To(a))}function O(e,{replace:t=!0}={}){ue(gt.value.path,
{...gt.value.choices,...e},{replace:t})}function M(e,t=""){return gt.value.choices[e]??t}var Ne=class extends Error{constructor(o){super(o.detail||o.title);this.problem=o;this.name="RequestFailed"}problem;get isAway(){return this.problem.status===0||
this.problem.status===503}get needsSignIn(){return this.problem.status===401}},Za={type:"urn:manyhands:problem:no-answer",title:"The service does not answer",status:0,
detail:"The request got no answer. Check that the service runs and that this machine reaches it, then try again.",mistakes:[]};async function bn(e){let t={type:"\
about:blank",title:`The service answered ${e.status}`,status:e.status,detail:e.statusText,mistakes:[]};try{let o=await e.json();return typeof o=="object"&&o!==null?
{...t,...o}:t}catch{return t}}function G(e){return e instanceof Ne?e.problem:{type:"about:blank",title:"The page has a defect",status:-1,detail:e instanceof Error?
e.message:String(e),mistakes:[]}}var Vl="/api/v1",jl=3e4,xn=new Set;function tr(e){return xn.add(e),()=>xn.delete(e)}function ke(e,t={}){let o=new URLSearchParams;for(let[r,i]of Object.entries(
t))i!=null&&i!==""&&o.set(r,String(i));let a=o.toString();return`${Vl}${e}${a?`?${a}`:""}`}var R=encodeURIComponent;async function ve(e,t={}){let o={Accept:"app\
lication/json",...t.headers},a;t.text?(o["Content-Type"]=t.text.type,a=t.text.content):t.body!==void 0&&(o["Content-Type"]="application/json",a=JSON.stringify(t.
body));let r=AbortSignal.timeout(jl),i=t.signal?AbortSignal.any([t.signal,r]):r,s;try{s=await fetch(ke(e,t.query),{method:t.method??"GET",headers:o,signal:i,credentials:"\
same-origin",...a===void 0?{}:{body:a}})}catch(l){throw t.signal?.aborted?l:er(new Ne(Za))}if(!s.ok&&s.status!==304)throw er(new Ne(await bn(s)));return xn.forEach(
l=>l(null)),s}async function L(e,t,o){let a={...t?{query:t}:{},...o?{signal:o}:{}};return await(await ve(e,a)).json()}async function z(e,t,o){let a=await ve(t,{
method:e,...o===void 0?{}:{body:o}});return a.status===204?void 0:await a.json()}function er(e){return xn.forEach(t=>t(e)),e}var ae=P({kind:"asking"}),nr=ge(()=>ae.value),Co=["read","submit","operate","approve"],or={read:"look at everything",submit:"submit work, and change your own",operate:"\
change everybody's work, and phones",approve:"change everybody's work, and phones"};function Mo(){return ae.value.kind==="in"?ae.value.status.role:null}function me(){
return ae.value.kind==="in"?ae.value.status.owner:""}function le(e,t){let o=Mo();if(o===null)return"Sign in first.";let a=Co.indexOf(o);return a<Co.indexOf(e)?`\
Your role is ${o}. This needs the role ${e}.`:t!==void 0&&t!==me()&&a<Co.indexOf("operate")?`This belongs to ${t}. To change the work of others, you need the ro\
le operate.`:null}async function ar(){tr(o=>{o?.needsSignIn&&ae.value.kind==="in"&&(ae.value={kind:"out",problem:o.problem})});let e=Gl(),t;try{t=await L("/sess\
ion")}catch(o){if(e!==null)return await Ft(e);let a=G(o);ae.value={kind:"out",problem:a.status===401?null:a};return}e===null?ae.value={kind:"in",status:t}:await Kl(
t,e)}async function Kl(e,t){try{let a=await(await ve("/session",{headers:{Authorization:`Bearer ${t}`}})).json();if(a.owner===e.owner&&a.role===e.role)return await Ft(
t);ae.value={kind:"choosing",status:e,other:a,token:t}}catch{ae.value={kind:"in",status:e}}}async function rr(e){if(ae.value.kind!=="choosing")return;let{status:t,
token:o}=ae.value;if(!e){ae.value={kind:"in",status:t};return}await z("DELETE","/session").catch(()=>{}),await Ft(o)}async function Ft(e){try{let t=await ve("/s\
ession",{method:"POST",headers:{Authorization:`Bearer ${e.trim()}`}});ae.value={kind:"in",status:await t.json()}}catch(t){ae.value={kind:"out",problem:G(t)}}}async function ir(){
await z("DELETE","/session"),ae.value={kind:"out",problem:null}}function Gl(){let e=/^#(?:.*&)?token=([^&]*)/.exec(location.hash);if(e===null)return null;ue([],
{},{replace:!0});try{return decodeURIComponent(e[1]??"")||null}catch{return null}}var sr=P(Date.now()/1e3),Yl,xe=ge(()=>sr.value);function lr(){Yl??=setInterval(()=>{document.hidden||(sr.value=Date.now()/1e3)},1e3)}var Ql=Symbol.for("pv"),Zl=0;function n(e,t,o,a,r,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var d={type:e,props:c,key:o,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:Ql,__v:--Zl,__i:-1,__u:0};return(r||i)&&(d.__source=r,d.__self=i),N.vnode&&N.vnode(d),d}var ec={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:o?"img":void 0,"aria-label":o,"aria-hidden":o?void 0:"true",focusable:"false",children:n("path",{d:ec[e]})})}var cr=P([]),wn=ge(()=>{let e=cr.value.map(t=>t.state.value);return e.includes("lost")?"lost":e.includes("connecting")?"connecting":"connected"});function Ro(e){
cr.value=e}var Sn=class{#t="";#e=[];#n=null;take(t){let o=[],a=(this.#t+t).split(/\r?\n/);this.#t=a.pop()??"";for(let r of a)this.#a(r,o);return o}#a(t,o){if(t===""){(this.#e.
length>0||this.#n!==null)&&o.push({id:this.#n,data:this.#e.join(`
`)}),this.#e=[],this.#n=null;return}let a=t.indexOf(":");if(a===0)return;let r=a<0?t:t.slice(0,a),i=a<0?"":t.slice(a+1).replace(/^ /,"");r==="data"?this.#e.push(
i):r==="id"&&!i.includes("\0")&&(this.#n=i)}};var tc=500,nc=15e3,oc=4e4,ac=1e4,De=class{#t=P("connecting");#e;#n=new AbortController;#a=0;#o=null;#i=null;#r=!1;constructor(t){this.#e=t,addEventListener("onl\
ine",this.#l),addEventListener("offline",this.#s),document.addEventListener("visibilitychange",this.#c),this.#u()}get state(){return this.#t}close(){this.#r=!0,
this.#t.value="closed",removeEventListener("online",this.#l),removeEventListener("offline",this.#s),document.removeEventListener("visibilitychange",this.#c),this.#s(),
this.#l()}#s=()=>this.#n.abort();#l=()=>{this.#i?.()};#c=()=>{document.hidden?this.#s():this.#l()};async#u(){for(;!this.#r;){if(document.hidden){await this.#d(null);
continue}try{await this.#p()}catch(o){o instanceof Ne&&o.needsSignIn&&(this.#a=6)}if(this.#r)return;if(document.hidden)continue;this.#t.value="lost";let t=Math.
min(nc,tc*2**this.#a++);await this.#d(t*(.75+Math.random()/2))}}async#p(){this.#n=new AbortController;let t={Accept:"text/event-stream"};this.#o!==null&&(t["Las\
t-Event-ID"]=this.#o);let o=ke(this.#e.path,this.#e.query?.()??{}),a=fetch(o,{headers:t,signal:this.#n.signal,credentials:"same-origin"}),r=setTimeout(this.#s,ac),
i=await a.finally(()=>clearTimeout(r));if(!i.ok||i.body===null)throw new Ne(await bn(i));this.#a=0,this.#t.value="open",this.#e.onOpen?.();let s=new Sn,l=i.body.
pipeThrough(new TextDecoderStream).getReader();for(;;){let c=setTimeout(this.#s,oc),{done:d,value:u}=await l.read().finally(()=>clearTimeout(c));if(d)return;for(let m of s.
take(u))m.id!==null&&(this.#o=m.id),m.data!==""&&this.#e.onEvent(m)}}#d(t){return new Promise(o=>{let a=t===null?void 0:setTimeout(o,t);this.#i=()=>{clearTimeout(
a),o()}}).then(()=>{this.#i=null})}};var rc=300,kn=new Set,_n=null,Ao=P([]);function Ee(e){return kn.add(e),()=>kn.delete(e)}function dr(){return _n??=new De({path:"/events",onOpen:()=>kn.forEach(e=>e.
onOpen?.()),onEvent:({data:e})=>ic(JSON.parse(e))}),_n}function ur(){_n?.close(),_n=null,Ao.value=[]}function ic(e){e.kind!=="task.step"&&(Ao.value=[e,...Ao.value].
slice(0,rc)),kn.forEach(t=>t.onEvent?.(e))}var Oe=new Map,It=P(0),Lo=P(!1),En=null,vt=It,Pn=Lo;function pr(){return En??=new De({path:"/wall",onEvent:({data:e})=>sc(JSON.parse(e))}),En}function mr(){En?.
close(),En=null,Oe.clear(),mt(()=>{Lo.value=!1,It.value++})}function He(){return It.value,[...Oe.values()].map(e=>e.peek()).sort((e,t)=>dc(e.serial,t.serial))}function Tn(e){
return Oe.get(e)}function fr(e){let t=Oe.get(e.serial);t!==void 0&&(t.value={...t.peek(),...e},It.value++)}function sc(e){mt(()=>{if(e.is_whole){let t=new Set(e.
phones.map(o=>o.serial));for(let o of Oe.keys())t.has(o)||Oe.delete(o)}for(let t of e.gone)Oe.delete(t);for(let t of e.phones)lc(t);Lo.value=!0,It.value++})}function lc(e){
let t=Oe.get(e.serial);if(t===void 0){Oe.set(e.serial,P(e));return}let o=t.peek(),a=o.screen===e.screen||e.task!=null&&o.task===e.task,r=e.thumbnail==null&&a;t.
value=r?{...e,thumbnail:o.thumbnail??null}:e}var cc=new Intl.Collator("en",{numeric:!0});function dc(e,t){return cc.compare(e,t)}var uc=500,pc=4e3,Bo=P(new Set),$o=new Map;function gr(e){return e!==void 0&&Bo.value.has(e)}function No(e){if(e===void 0)return Promise.resolve(!1);let t=$o.get(
e);return t===void 0&&(t=mc(e).finally(()=>$o.delete(e)),$o.set(e,t)),t}async function Jt(e,t){for(let o=!0;;)try{return await t()}catch(a){let r=await No(e);if(!r&&
!o)throw a;o=r}}async function mc(e){if(await e())return!1;hr(e,!0);for(let t=uc;await fc(t),!await e();t=Math.min(pc,2*t));return hr(e,!1),!0}function hr(e,t){
let o=[...Bo.peek()].filter(a=>a!==e);Bo.value=new Set(t?[...o,e]:o)}function fc(e){return new Promise(t=>{let o=()=>{clearTimeout(a),removeEventListener("onlin\
e",o),t()},a=setTimeout(o,e);addEventListener("online",o)})}var hc=[0,502,503,504];async function Wt(){try{return await L("/session"),!0}catch(e){return!hc.includes(G(e).status)}}var gc=/\/api\/v1\/episodes\/[^/]+\/screens\//,vc=6,yc=300,Oo=new WeakMap;function yr(){return addEventListener("error",vr,!0),()=>removeEventListener("error",vr,
!0)}function vr(e){let t=e.target;if(!(t instanceof HTMLImageElement)||!gc.test(t.src))return;let o=t.src,a=Oo.get(t),r=a?.source===o?a.count+1:1;Oo.set(t,{source:o,
count:r});let i=()=>{t.isConnected&&t.src===o&&(t.src=o)};if(r<=vc){e.stopPropagation(),setTimeout(i,yc*2**(r-1));return}No(Wt).then(s=>{s&&(Oo.delete(t),i())})}var bc=1500,xc=3e3;function br(){let e=T("nothing"),t=wn.value;return S(()=>{if(t==="lost"&&e.value!=="lost"){let o=setTimeout(()=>e.value="lost",bc);return()=>clearTimeout(
o)}if(t==="connected"&&e.value==="lost"){e.value="back";let o=setTimeout(()=>e.value="nothing",xc);return()=>clearTimeout(o)}},[t]),n("div",{class:"connection",
role:"status",children:[e.value==="lost"&&n("p",{class:"connection-lost",children:[n(v,{name:"warning",size:14})," The connection to the service is lost. What y\
ou see may be old. The page tries again by itself."]}),e.value==="back"&&n("p",{class:"connection-back",children:[n(v,{name:"check",size:14})," The connection i\
s back. Nothing is missing."]})]})}function x({icon:e,label:t,kind:o="plain",pressed:a,children:r,class:i,...s}){return n("button",{type:"button",...s,class:`button button-${o}${e&&!r?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":a,children:[e&&n(v,{name:e}),r]})}function xr(e){let t=B(null),o=mn();return S(()=>{let a=t.current;return a?.showModal(),()=>a?.close()},[]),n("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":o,onCancel:a=>{a.preventDefault(),e.onClose()},onClick:a=>a.target===t.current&&e.onClose(),children:n("div",{class:"dialog-inside",children:[
n("header",{class:"dialog-head",children:[n("h2",{id:o,children:e.title}),n(x,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),n("div",{class:"di\
alog-body",children:e.children}),e.foot&&n("footer",{class:"dialog-foot",children:e.foot})]})})}var at=P([]);function Ue(e,t){let o=B(t);o.current=t;let a=t.map(r=>`${r.key} ${r.does}`).join(`
`);ne(()=>{let r={title:e,keys:o.current.map((i,s)=>i.run?{...i,run:()=>o.current[s]?.run?.()}:i)};return at.value=[...at.value,r],()=>{at.value=at.value.filter(
i=>i!==r)}},[e,a])}function wc(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof
HTMLTextAreaElement||e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||
wc(e.target)||document.querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof
HTMLElement&&e.target.closest("button, a, summary, input")))for(let o of[...at.value].reverse()){let a=o.keys.find(r=>r.key===t&&r.run);if(a){e.preventDefault(),
a.run?.();return}}});var Sc={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function wr(){let[e,t]=_(!1);return Ue("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),n(h,{children:[n(x,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&n(xr,{title:"Keys",onClose:()=>t(
!1),children:[...at.value].reverse().map(o=>n("section",{class:"keyhelp",children:[n("h3",{children:o.title}),n("dl",{children:o.keys.map(a=>n("div",{children:[
n("dt",{children:a.key.split("+").map(r=>n("kbd",{children:Sc[r]??r},r))}),n("dd",{children:a.does})]},a.key))})]},o.title))})]})}var kc=new Intl.NumberFormat("en",{maximumFractionDigits:0}),Sr=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),_c=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),Ec=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),pe="\u2013";function w(e){return e==
null?pe:kc.format(e).replace("-","\u2212")}function ye(e){if(e==null||Number.isNaN(e))return pe;let t=Math.abs(e),o=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:o}).replace("-","\u2212")}function F(e){if(e==null||Number.isNaN(e))return pe;if(e<0)return"\u2212"+F(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return Fo(Math.floor(t/60),"min",t%60,"s");let o=Math.round(e/60);if(o<1440)return Fo(Math.floor(o/60),"h",o%60,"min");let a=Math.round(e/3600);
return Fo(Math.floor(a/24),"d",a%24,"h")}function Fo(e,t,o,a){let r=`${e}\xA0${t}`;return o?`${r}\xA0${o}\xA0${a}`:r}function we(e){if(e==null||Number.isNaN(e))
return pe;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?Pc(t.toFixed(1)):Math.round(t)}\xA0%`}function Pc(e){return e.replace(/\.0$/,"")}function fe(e){if(e==null)
return pe;for(let[t,o]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${ye(Number((e/t).toPrecision(3)))}\xA0${o}`;return ye(e)}function yt(e){return e==null?pe:Sr.format(e*1e3)}function te(e){return e==null?pe:`${_c.format(e*1e3)}, ${Sr.format(e*1e3)}`}function kr(e){return Ec.formatToParts(
e*1e3).find(t=>t.type==="timeZoneName")?.value??""}function J(e,t,o=`${t}s`){return`${w(e)}\xA0${e===1?t:o}`}var _r="Manyhands",Tc=1500,Cc=3e4,rt=P(null),Xt=P(null),Cn=P(""),Mn,Io=!1;function Er(){Io=!0;let e=Ee({onEvent:o=>{Mc(o)&&Fe()},onOpen:()=>Fe(0)}),t=$e(()=>{let o=rt.
value?.open??0;document.title=`${o>0?`(${o}) `:""}${Cn.value?`${Cn.value} \xB7 `:""}${_r}`});return Pr(),()=>{Io=!1,clearTimeout(Mn),Mn=void 0,e(),t(),rt.value=
null,document.title=_r}}function Fe(e=Tc){clearTimeout(Mn),Mn=setTimeout(()=>{Pr()},e)}async function Pr(){try{rt.value=await L("/attention"),Xt.value=null}catch(e){
Xt.value=G(e)}Io&&Fe(Cc)}function Mc(e){return e.kind==="task.failed"||e.kind==="task.retried"||/^(phone|model|episode)\./.test(e.kind)}function D(e){let t=T(!1),o=T(null),a=T(null),r=()=>{o.value=null,a.value=null};return{isRunning:t,problem:o,result:a,run:async(...s)=>{if(t.value)return!1;t.value=
!0,r();try{return a.value=await e(...s)??null,!0}catch(l){return o.value=G(l),!1}finally{t.value=!1}},forget:r}}function C({problem:e,children:t}){return n("div",{class:"note note-bad",role:"alert",children:[n(v,{name:"warning"}),n("div",{class:"note-body",children:[n("p",
{class:"note-title said",children:e.title}),e.detail&&e.detail!==e.title&&n("p",{class:"said",children:e.detail}),e.mistakes.length>0&&n("ul",{class:"note-list",
children:e.mistakes.map(o=>n("li",{class:"said",children:o},o))}),t]})]})}function re(e){let t=e.tone??"good";return n("div",{class:`note note-${t}`,role:"statu\
s",children:[n(v,{name:t==="good"?"check":t==="warn"?"warning":"info"}),n("div",{class:"note-body",children:e.children})]})}var Rc=[{theme:"system",name:"As the system",icon:"screen"},{theme:"light",name:"Light",icon:"sun"},{theme:"dark",name:"Dark",icon:"moon"}];function Tr(){let e=mn(),
t=D(ir),o=Mo();return n("div",{class:"person",children:[n("button",{type:"button",class:"person-button",popovertarget:e,children:[n("span",{class:"unseen",children:"\
Signed in as"}),n("span",{class:"person-initial","aria-hidden":"true",children:me().slice(0,1).toUpperCase()}),n("span",{class:"person-name",children:[n("span",
{class:"clip",children:me()}),n("span",{class:"person-role",children:o})]})]}),n("div",{id:e,class:"person-menu",popover:"auto",children:[n("p",{children:[n("st\
rong",{class:"said",children:me()}),n("br",{}),n("span",{class:"quiet",children:["Role ",o,": ",o&&or[o],"."]})]}),n("fieldset",{class:"person-themes",children:[
n("legend",{children:"Colours"}),Rc.map(a=>n(x,{kind:"quiet",icon:a.icon,label:a.name,pressed:Ot.value===a.theme,onClick:()=>Ya(a.theme)},a.theme))]}),n("a",{class:"\
person-link",href:"/docs",children:[n(v,{name:"book"})," All requests of this service"]}),n(x,{onClick:()=>{t.run()},disabled:t.isRunning.value,children:"Sign o\
ut"}),t.problem.value&&n(C,{problem:t.problem.value})]})]})}var y={fleet:(e={})=>de(["fleet"],e),phone:(e,t={})=>de(["phones",e],t),work:(e={})=>de(["work"],e),submit:(e={})=>de(["work","submit"],e),schedules:(e={})=>de(
["work","schedules"],e),newSchedule:()=>de(["work","schedules","new"]),batch:(e,t={})=>de(["batches",e],t),task:e=>de(["tasks",e]),episode:(e,t={})=>de(["episod\
es",e],t),attention:(e={})=>de(["attention"],e),health:(e={})=>de(["health"],e)};function Cr(e){switch(e[0]){case"work":case"batches":case"tasks":case"episodes":case"\
schedules":return"work";case"attention":return"attention";case"health":return"health";default:return"fleet"}}var Jo=6,Ac=[{href:y.fleet(),icon:"phone",name:"Fleet",about:"all phones"},{href:y.work(),icon:"layers",name:"Work",about:"batches and the queue"},{href:y.submit(),
icon:"plus",name:"Submit a batch",about:"goals or YAML"},{href:y.schedules(),icon:"clock",name:"Schedules",about:"batches at set times"},{href:y.attention(),icon:"\
warning",name:"Attention",about:"what needs a person"},{href:y.health(),icon:"chart",name:"Health",about:"cost, models, perception"}];async function Rr(e,t,o){let a=e.
trim().toLowerCase(),r=Ac.filter(s=>Rn(a,s.name,s.about));if(a==="")return o(r);let i=He().filter(s=>Rn(a,s.serial,s.labels?.model,s.goal)).slice(0,Jo).map(s=>{
let l=s.labels?.model??"";return{href:y.phone(s.serial),icon:"phone",name:s.serial,about:`${l} \xB7 ${s.phase}`}});o([...i,...r]);try{let[s,l]=await Promise.all(
[Lc(a,t),$c(a,t)]);t.aborted||o([...i,...s,...l,...r])}catch{}}function Rn(e,...t){return t.some(o=>o?.toLowerCase().includes(e))}async function Lc(e,t){return(await L(
"/batches",{limit:200},t)).items.filter(a=>Rn(e,a.id,a.name,a.owner,...a.tags)).slice(0,Jo).map(a=>({href:y.batch(a.id),icon:"layers",name:a.name||a.id,about:`${a.
id} \xB7 ${a.owner} \xB7 ${a.phase}`}))}async function $c(e,t){if(/^b\d+\.[a-z0-9_.-]+$/i.test(e))try{return[Mr(await L(`/tasks/${R(e)}`,{},t))]}catch{return[]}
return(await L("/tasks",{phase:"running",limit:500},t)).items.filter(a=>Rn(e,a.id,a.goal,a.phone)).slice(0,Jo).map(Mr)}function Mr(e){return{href:y.task(e.id),icon:"\
list",name:e.goal,about:`${e.id} \xB7 ${e.ending??e.phase}`}}var Wo=P(!1),Bc=120,Nc=[{key:"1",does:"Fleet",run:()=>ue(["fleet"])},{key:"2",does:"Work",run:()=>ue(["work"])},{key:"3",does:"Attention",run:()=>ue(["attention"])},
{key:"4",does:"Health",run:()=>ue(["health"])},{key:"n",does:"submit a batch",run:()=>ue(["work","submit"])}];function qt(){Wo.value=!0}function Ar(){let e=Be.value.
path[0]==="episodes";return Ue("Everywhere",[{key:"/",does:"search",run:qt},...e?[]:Nc]),S(()=>{let t=o=>{o.key.toLowerCase()!=="k"||!(o.ctrlKey||o.metaKey)||(o.
preventDefault(),qt())};return addEventListener("keydown",t),()=>removeEventListener("keydown",t)},[]),Wo.value?n(Oc,{}):null}function Oc(){let e=B(null),t=T(""),
o=T([]),a=T(0);ne(()=>e.current?.showModal(),[]),S(()=>{let l=new AbortController,c=setTimeout(()=>{Rr(t.value,l.signal,d=>{o.value=d,a.value=0})},Bc);return()=>{
clearTimeout(c),l.abort()}},[t.value]);let r=()=>{Wo.value=!1},i=l=>{let c=o.value.length;if(l.key==="ArrowDown"&&c>0)a.value=(a.value+1)%c;else if(l.key==="Arr\
owUp"&&c>0)a.value=(a.value+c-1)%c;else if(l.key==="Enter"){let d=o.value[a.value];if(d===void 0)return;location.hash=d.href,r()}else return;l.preventDefault()},
s=o.value[a.value];return n("dialog",{ref:e,class:"palette","aria-label":"Search",onClose:r,onClick:l=>{l.target===e.current&&r()},children:[n("div",{class:"pal\
ette-field",children:[n(v,{name:"search"}),n("input",{class:"palette-input",type:"text",role:"combobox","aria-label":"Search phones, batches, tasks and pages","\
aria-expanded":"true","aria-controls":"palette-found","aria-activedescendant":s?`palette-${a.value}`:void 0,placeholder:"Phones, batches, tasks, pages",autocomplete:"\
off",spellcheck:!1,autofocus:!0,value:t.value,onInput:l=>t.value=l.currentTarget.value,onKeyDown:i}),n("kbd",{children:"Esc"})]}),n("ul",{class:"palette-found",
id:"palette-found",role:"listbox","aria-label":"What was found",children:o.value.map((l,c)=>n("li",{id:`palette-${c}`,role:"option","aria-selected":c===a.value,
class:"palette-entry",onPointerMove:()=>a.value=c,onClick:()=>{location.hash=l.href,r()},children:[n(v,{name:l.icon}),n("span",{class:"clip",children:l.name}),n(
"span",{class:"palette-about clip",children:l.about})]},l.href))}),t.value!==""&&o.value.length===0&&n("p",{class:"palette-nothing quiet",children:"Nothing has \
these letters. Batches and tasks are found by name, goal or id."})]})}function bt(){return n("span",{class:"wordmark",children:[n("svg",{class:"wordmark-sign",width:"22",height:"22",viewBox:"0 0 22 22","aria-hidden":"true",focusable:"\
false",children:[n("rect",{class:"wordmark-ground",x:"0",y:"0",width:"22",height:"22",rx:"6"}),n("rect",{class:"wordmark-screen",x:"8",y:"5",width:"6",height:"1\
2",rx:"1.5"}),n("path",{class:"wordmark-hand",d:"M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2"})]}),"Manyhands"]})}var Fc=[{section:"fleet",name:"Fleet",icon:"phone",href:y.fleet()},{section:"work",name:"Work",icon:"layers",href:y.work()},{section:"attention",name:"Attention",
icon:"warning",href:y.attention()},{section:"health",name:"Health",icon:"chart",href:y.health()}];function Lr(){let e=Cr(Be.value.path);return n("header",{class:"\
navigation",children:[n("a",{class:"navigation-home",href:y.fleet(),"aria-label":"Manyhands, the fleet",children:n(bt,{})}),n("button",{type:"button",class:"nav\
igation-search",onClick:qt,children:[n(v,{name:"search"}),n("span",{children:"Search"}),n("kbd",{"aria-hidden":"true",children:"/"})]}),n("nav",{class:"navigati\
on-list","aria-label":"Sections",children:Fc.map(t=>n("a",{class:"navigation-entry",href:t.href,"aria-current":t.section===e?"page":void 0,children:[n(v,{name:t.
icon}),n("span",{class:"navigation-name",children:t.name}),n(Ic,{section:t.section})]},t.section))}),n("div",{class:"navigation-end",children:[n(x,{class:"navig\
ation-find",kind:"quiet",icon:"search",label:"Search",onClick:qt}),n(wr,{}),n(Tr,{})]})]})}function Ic({section:e}){if(e==="attention"){let o=rt.value?.open??0;
return o===0?null:n("span",{class:"navigation-count navigation-count-bad",children:[w(o),n("span",{class:"unseen",children:" need a person"})]})}if(e!=="fleet")
return null;let t=He();return t.length===0?null:n("span",{class:"navigation-count",children:[w(t.length),n("span",{class:"unseen",children:" phones"})]})}function I(e){return n("div",{class:"empty",children:[e.icon&&n(v,{name:e.icon,size:24}),n("p",{class:"empty-title",children:e.title}),e.children&&n("div",{class:"\
empty-text",children:e.children}),e.action]})}function U(e){return n("header",{class:"page-head",children:[n("div",{class:"page-title",children:[e.crumbs&&n("nav",{class:"crumbs","aria-label":"Where this pa\
ge is",children:e.crumbs.map(t=>n("span",{class:"crumb",children:[n("a",{href:t.href,class:"clip",children:t.name}),n(v,{name:"right",size:12})]},t.href))}),n("\
h1",{class:"said",children:e.title}),e.about&&n("p",{class:"page-about quiet",children:e.about})]}),e.actions&&n("div",{class:"page-actions",children:e.actions})]})}function W(e){return n("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&n(v,{name:e.icon,size:12}),e.children]})}var Jc={A:{tone:"\
good",icon:"check",words:"as expected"},B:{tone:"bad",icon:"cross",words:"wrong page"},C:{tone:"warn",icon:"minus",words:"no change"}};function $r({verdict:e,short:t}){
let o=e?Jc[e]:void 0;return o?n(W,{tone:o.tone,icon:o.icon,title:`${e}: ${o.words}`,children:[t?e:o.words,t&&n("span",{class:"unseen",children:[": ",o.words]})]}):
n(W,{tone:"quiet",children:e||"no verdict"})}function X({needs:e,owner:t,...o}){let a=le(e,t);return a===null?n(x,{...o}):n(x,{...o,"aria-disabled":"true",disabled:!0,title:a})}function Pe({needs:e,owner:t,
what:o}){let a=le(e,t);return a===null?null:n("p",{class:"role-note quiet",children:[n(v,{name:"info",size:14})," ",n("span",{children:[o,": ",a]})]})}function Ve({since:e}){let t=ot(()=>Xo(xe.value-e));return n("span",{class:"num",children:t})}function _e({at:e}){let t=ot(()=>Wc(xe.value-e));return n("time",{
dateTime:new Date(e*1e3).toISOString(),title:new Date(e*1e3).toLocaleString("en-GB"),children:t})}function Xo(e){return e<60?`${Math.max(0,Math.floor(e))}\xA0s`:
F(e)}function Wc(e){return e<5?"just now":`${it(e)} ago`}function it(e){let t=[[86400,"d"],[3600,"h"],[60,"min"]];for(let[o,a]of t)if(e>=o)return`${Math.floor(e/
o)}\xA0${a}`;return`${Math.max(1,Math.floor(e))}\xA0s`}var Xc={open:{tone:"accent",icon:"play",words:"open"},paused:{tone:"warn",icon:"pause",words:"paused"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"},ended:{
tone:"good",icon:"check",words:"ended"}};function An({phase:e,failed:t}){let o=e==="ended"&&t>0?{tone:"bad",icon:"cross",words:"has failures"}:Xc[e];return n(W,
{tone:o.tone,icon:o.icon,children:o.words})}function zt(e){return e.replaceAll("_"," ")}function je(e){return e.ending!=="finished"?zt(e.ending??"failed"):e.verified==
null?"undecided":"check failed"}function qc(e){switch(e.phase){case"waiting":return{tone:"quiet",icon:"clock",words:"waiting"};case"paused":return{tone:"warn",icon:"\
pause",words:"paused"};case"running":return{tone:"accent",icon:"play",words:"running"};case"ended":return e.is_done?{tone:"good",icon:"check",words:"done"}:e.ending===
"cancelled"?{tone:"quiet",icon:"stop",words:"cancelled"}:{tone:"bad",icon:"cross",words:je(e)}}}function Ln({task:e}){let t=qc(e);return n(W,{tone:t.tone,icon:t.
icon,children:t.words})}function xt(e){return e.phase==="ended"&&!e.is_done&&e.ending!=="cancelled"}function Br({cause:e,isLeast:t=!1}){let o=T(!1),a=D(async()=>{let c=await z("POST",`/attention/${R(e.id)}:retry`);return Fe(),`${J(c.length,"task")} submitted a\
gain.`}),r=D(async()=>{await z("POST",`/attention/${R(e.id)}:dismiss`),Fe(0)}),i=a.isRunning.value||r.isRunning.value,s=a.problem.value??r.problem.value,l=e.episodes[0];
return n("article",{class:"cause panel",children:[n("header",{class:"cause-head",children:[n("span",{class:"cause-count","aria-label":`${t?"at least ":""}${J(e.
count,"task")}`,children:[w(e.count),t&&"+","\xD7"]}),n("div",{class:"cause-words",children:[n("h3",{class:"said",children:e.reason||je(e)}),n("p",{class:"cause\
-about",children:[n(W,{tone:"bad",icon:"cross",children:je(e)}),e.app&&n("span",{class:"said",children:["in ",e.app]}),e.action&&n("span",{class:"said",children:[
"at ",e.action]}),n("span",{children:["last ",n(_e,{at:e.last_at})]}),e.count>1&&n("span",{children:["first ",n(_e,{at:e.first_at})]})]})]}),n("div",{class:"cau\
se-actions",children:[l&&n("a",{class:"button button-primary",href:y.episode(l),children:[n(v,{name:"play"})," Open the failure"]}),n(X,{needs:"submit",icon:"re\
try",disabled:i,onClick:()=>{a.run()},children:e.count>1?`Retry all ${w(e.count)}`:"Retry"}),n(X,{needs:"submit",kind:"quiet",icon:"check",disabled:i,onClick:()=>{
r.run()},children:"Dismiss"})]})]}),s&&n(C,{problem:s}),a.result.value&&n(re,{children:a.result.value}),e.tasks.length>1&&n(x,{kind:"quiet",icon:o.value?"up":"d\
own","aria-expanded":o.value,onClick:()=>o.value=!o.value,children:e.tasks.length<e.count?`The last ${e.tasks.length} tasks`:`All ${e.tasks.length} tasks`}),(o.
value||e.tasks.length===1)&&n("ul",{class:"cause-tasks",children:e.tasks.map((c,d)=>{let u=e.episodes[d];return n("li",{children:n("a",{class:"mono",href:u?y.episode(
u):y.task(c),children:c})},c)})})]})}var zc=15,Dc=42;function Nr({percent:e,celsius:t}){if(e===null)return null;let o=t!==null&&t>=Dc,a=`Battery ${Math.round(e)}\xA0%${t===null?"":`, ${ye(t)}\xA0\xB0C`}`;
return n("span",{class:`battery${e<=zc||o?" battery-bad":""}`,title:a,children:[n(v,{name:o?"warning":"bolt",size:11,label:a}),n("span",{"aria-hidden":"true",children:`${Math.
round(e)}\xA0%`})]})}var Hc=new Set(["capture","perceive","verify","plan","decide","act","note"]);function $n(e){let{stages:t,since:o,most:a=4}=e;return n("span",{class:"running-sta\
ges",children:[t.slice(0,a).map((r,i)=>n("span",{class:"running-stage",children:[n("span",{class:`stage-dot stage-${Hc.has(r)?r:"other"}`}),n("span",{class:"cli\
p",children:r}),i===0&&o!==null&&n(Ve,{since:o})]},r)),t.length>a&&n("span",{class:"running-stage faint",children:["+",t.length-a]})]})}var Ie={busy:"busy",free:"free",reserved:"reserved",aside:"set aside",away:"away"},Or=8;function Fr({serial:e,size:t}){let o=Tn(e)?.value;return o===void 0?null:
n("a",{class:`tile tile-${t} tile-${o.phase}`,href:y.phone(e),children:[n(Vc,{phone:o}),n("div",{class:"tile-body",children:[n("div",{class:"tile-head",children:[
n(jc,{phase:o.phase}),t==="s"?n(Uc,{serial:e}):n("span",{class:"tile-serial clip mono",children:e}),t!=="s"&&n(Nr,{percent:o.battery??null,celsius:o.celsius??null})]}),
t==="s"?n(Kc,{phone:o}):n(Gc,{phone:o,isLarge:t==="l"})]})]})}function Uc({serial:e}){let t=[...e];return n("span",{class:"tile-serial tile-serial-short mono",title:e,
children:[n("bdi",{class:"clip",children:t.slice(0,-Or).join("")}),n("bdi",{children:t.slice(-Or).join("")})]})}function Vc({phone:e}){return n("div",{class:"ti\
le-screen",children:[e.thumbnail?n("img",{src:`data:image/jpeg;base64,${e.thumbnail}`,alt:"",decoding:"async",draggable:!1}):n(v,{name:"phone",size:20}),e.is_paused&&
n("span",{class:"tile-taken",title:`${e.held_by} has paused it`,children:n(v,{name:"pause",size:12,label:`${e.held_by} has paused it`})}),e.taken_over_by&&n("sp\
an",{class:"tile-taken",title:`${e.taken_over_by} has taken over`,children:n(v,{name:"hand",size:12,label:`${e.taken_over_by} has taken over`})})]})}function jc({
phase:e}){return n("span",{class:`dot dot-${e}`,title:Ie[e],children:n("span",{class:"unseen",children:Ie[e]})})}function Kc({phone:e}){return e.phase==="busy"?
n(Ir,{phone:e,most:1}):n("span",{class:"tile-line clip",children:Ie[e.phase]})}function Ir({phone:e,most:t}){return e.taken_over_by?n("span",{class:"tile-line c\
lip",children:[e.taken_over_by," has the phone"]}):n($n,{stages:e.stages??[],since:e.stage_since??null,most:t})}function Gc({phone:e,isLarge:t}){let o=e.labels?.
model;return e.phase!=="busy"?n(h,{children:[n("span",{class:"tile-goal tile-idle",children:Ie[e.phase]}),e.reason&&n("span",{class:"tile-doing said",children:e.
reason}),n("span",{class:"tile-foot clip",children:o})]}):n(h,{children:[n("span",{class:"tile-goal said",children:e.goal||e.task}),n("span",{class:"tile-doing \
said",children:e.subgoal||e.doing}),n(Ir,{phone:e,most:t?4:2}),n("span",{class:"tile-foot clip",children:[e.step!=null&&n(h,{children:["step ",e.step," \xB7 "]}),
e.owner&&n(h,{children:[e.owner," \xB7 "]}),o]})]})}function Jr({phone:e}){let t=D(async()=>{await z("POST",`/phones/${R(e.serial)}:release`),Fe(0)});return n("li",{class:"away",children:[n(W,{tone:e.phase==="awa\
y"?"bad":"warn",icon:e.phase==="away"?"cross":"pause",children:Ie[e.phase]}),n("a",{class:"away-name mono clip",href:y.phone(e.serial),children:e.serial}),n("sp\
an",{class:"away-reason said",children:e.reason}),e.since!=null&&n("span",{class:"quiet",children:n(_e,{at:e.since})}),e.phase==="aside"&&n(X,{needs:"operate",icon:"\
play",disabled:t.isRunning.value,onClick:()=>{t.run()},children:"Release"}),t.problem.value&&n(C,{problem:t.problem.value})]})}function Wr({held:e}){let t=D(async()=>{
await z("POST",`/episodes/${R(e.episode)}:${e.is_paused?"resume":"hand-back"}`),Fe(0)});return n("li",{class:"away",children:[n(W,{tone:e.is_paused?"warn":"acce\
nt",icon:e.is_paused?"pause":"hand",children:e.is_paused?"paused":"taken over"}),n("a",{class:"away-name clip",href:y.episode(e.episode),children:e.goal||e.task}),
n("span",{class:"away-reason",children:["by ",n("span",{class:"said",children:e.by})," on"," ",n("a",{class:"mono said",href:y.phone(e.serial),children:e.serial})]}),
e.since!=null&&n("span",{class:"quiet",children:n(_e,{at:e.since})}),n(X,{needs:e.by===me()?"submit":"operate",icon:"play",disabled:t.isRunning.value,onClick:()=>{
t.run()},children:e.is_paused?"Let it go on":"Hand back"}),t.problem.value&&n(C,{problem:t.problem.value})]})}function Xr({model:e}){return n("li",{class:"away",
children:[n(W,{tone:"bad",icon:"cross",children:"away"}),n("a",{class:"away-name clip",href:y.health(),children:e.what}),n("span",{class:"away-reason said",children:e.
reason}),e.since!=null&&n("span",{class:"quiet",children:n(_e,{at:e.since})})]})}function qr(){let e=rt.value;return n(h,{children:[n(U,{title:"Attention",about:e&&e.open>0?`${J(e.open,"thing")} for a person, the newest first`:void 0}),Xt.value&&
n(C,{problem:Xt.value}),e!==null&&e.open===0&&n(I,{icon:"check",title:"Nothing needs a person",children:["Failed tasks, phones that get no work, models that do \
not answer and paused episodes appear here. Meanwhile, the"," ",n("a",{href:y.fleet(),children:"fleet"})," and the ",n("a",{href:y.work(),children:"queue"})," s\
how what goes on."]}),e!==null&&e.models.length>0&&n("section",{class:"attention-section","aria-labelledby":"models-title",children:[n("h2",{id:"models-title",children:"\
Models away"}),n("ul",{class:"attention-list panel",children:e.models.map(t=>n(Xr,{model:t},t.what))})]}),e!==null&&(e.held??[]).length>0&&n("section",{class:"a\
ttention-section","aria-labelledby":"held-title",children:[n("h2",{id:"held-title",children:"Episodes that people hold"}),n("ul",{class:"attention-list panel",children:(e.
held??[]).map(t=>n(Wr,{held:t},t.episode))})]}),e!==null&&e.causes.length>0&&n("section",{class:"attention-section","aria-labelledby":"causes-title",children:[n(
"h2",{id:"causes-title",children:"Failed tasks, by cause"}),e.has_more&&n(re,{tone:"quiet",children:["Only the newest ",w(e.causes.reduce((t,o)=>t+o.count,0)),"\
 failed tasks are counted. Older ones appear once some of these are retried or dismissed."]}),e.causes.map(t=>n(Br,{cause:t,isLeast:e.has_more},t.id))]}),e!==null&&
e.phones.length>0&&n("section",{class:"attention-section","aria-labelledby":"phones-title",children:[n("h2",{id:"phones-title",children:"Phones set aside or awa\
y"}),n("ul",{class:"attention-list panel",children:e.phones.map(t=>n(Jr,{phone:t},t.serial))})]})]})}var Yc=1e3,Qc=3e3,Zc=[0,429,502,503,504],qo=class{value=P(null);problem=P(null);settings;#t=new AbortController;#e;#n=!1;#a=!1;#o=-1/0;#i=!1;constructor(t){this.
settings=t}reload=()=>this.#r(0);put=t=>{this.value.value=t,this.problem.value=null};open(){this.#i=!1;let t=Ee({onEvent:o=>{this.settings.isChangedBy?.(o)&&this.
reload()},onOpen:this.reload});return this.#s(),()=>{t(),this.#i=!0,clearTimeout(this.#e),this.#e=void 0,this.#t.abort()}}#r(t){if(this.#i)return;if(this.#n){this.#a=
!0;return}let o=this.#o+(this.settings.everyMs??Yc)-performance.now();this.#e!==void 0&&t>0||(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#s()},Math.max(
t,o,0)))}async#s(){this.#e=void 0,this.#n=!0,this.#a=!1,this.#o=performance.now(),this.#t=new AbortController;let t=this.#t,o=this.settings.pollMs;try{let a=await this.
settings.load(t.signal);t.signal.aborted||this.put(a)}catch(a){if(t.signal.aborted)return;let r=G(a);this.problem.value=r,Zc.includes(r.status)&&(o=Qc)}finally{
t===this.#t&&(this.#n=!1)}t.signal.aborted||this.#i||(this.#a?this.#r(0):o!==void 0&&this.#r(o))}};function ee(e,t){let o=q(()=>new qo(e),t),a=B(e);return a.current=
e,o.settings=e,S(()=>o.open(),[o]),o}var ed=1600;function Dt(e){let[t,o]=_("");S(()=>{if(!t)return;let r=setTimeout(()=>o(""),ed);return()=>clearTimeout(r)},[t]);let a=async()=>o(await td(e.text())?
"copied":"failed");return n(h,{children:[n(x,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{a()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),n("span",{class:"unseen",role:"status",children:t})]})}async function td(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let o=document.execCommand("copy");return t.remove(),o}}function Ke({text:e}){return n("div",{class:"copy-line",children:[n("code",{class:"said",children:e}),n(Dt,{text:()=>e,label:"Copy the command"})]})}function Bn(e){let t={value:"",name:"All",count:e.all};return n("div",{class:"chips",role:"group","aria-label":e.label,children:[t,...e.choices].map(o=>n("butto\
n",{type:"button",class:"chip","aria-pressed":e.chosen===o.value,onClick:()=>e.onChoose(o.value),children:[o.name,o.count!==null&&n("span",{class:"chip-count",children:w(
o.count)})]},o.value))})}function wt(e){return n("label",{class:"search-box",children:[n(v,{name:"search"}),n("span",{class:"unseen",children:e.label}),n("input",{class:"input",type:"se\
arch",placeholder:e.placeholder,value:e.value,autocomplete:"off",spellcheck:!1,onInput:t=>e.onInput(t.currentTarget.value)})]})}function St(e){return n("div",{class:"choice-bar",role:"group","aria-label":e.label,children:e.choices.map(t=>n("button",{type:"button",class:"choice-part",title:t.
words,"aria-pressed":t.value===e.value,onClick:()=>e.onChoose(t.value),children:[t.name,t.words&&n("span",{class:"unseen",children:[": ",t.words]})]},t.value))})}var Dr=[{phase:"busy",name:"Busy"},{phase:"free",name:"Free"},{phase:"reserved",name:"Reserved"},{phase:"aside",name:"Set aside"},{phase:"away",name:"Away"}];function Hr(e){
let t={free:0,busy:0,aside:0,reserved:0,away:0};for(let o of e)t[o.phase]++;return t}function Ur(e,t){let o=t.toLowerCase().split(/\s+/).filter(Boolean);return o.
length===0?e:e.filter(a=>{let r=nd(a);return o.every(i=>r.includes(i))})}function nd(e){let t=Object.entries(e.labels??{}).filter(([a])=>!a.startsWith("app:")).
map(([a,r])=>`${a}=${r}`),o=e.taken_over_by&&`taken over by ${e.taken_over_by}`;return[e.serial,...t,e.task,e.goal,e.owner,e.doing,e.reason,o].join(`
`).toLowerCase()}function Vr(e){let t=new Set;for(let o of e)for(let a of Object.keys(o.labels??{}))!a.startsWith("app:")&&a!=="serial"&&t.add(a);return[...t].sort()}
function jr(e,t){if(t==="")return e.length===0?[]:[{name:"",phones:e}];let o=new Map;for(let a of e){let r=a.labels?.[t]??"",i=o.get(r);i?i.push(a):o.set(r,[a])}
return[...o].sort(([a],[r])=>a===""?1:r===""?-1:a.localeCompare(r,"en",{numeric:!0})).map(([a,r])=>({name:a||`no label ${t}`,phones:r}))}var Nn=12,zr=42,od={s:{
width:92,height:236},m:{width:300,height:184},l:{width:420,height:312}};function Kr(e,t,o){let a=od[t],r=Math.max(1,Math.floor((o+Nn)/(a.width+Nn))),i=[],s=0;return e.
forEach((l,c)=>{l.name!==""&&(i.push({kind:"header",key:`h${c}`,top:s,height:zr,group:l}),s+=zr);for(let d=0;d<l.phones.length;d+=r){let u=l.phones.slice(d,d+r).
map(m=>m.serial);i.push({kind:"tiles",key:`${c}:${d}`,top:s,height:a.height,serials:u}),s+=a.height+Nn}}),{columns:r,height:Math.max(0,s-Nn),rows:i}}function Gr(e,t,o){
let a=0,r=e.length;for(;a<r;){let s=a+r>>1,l=e[s];l.top+l.height<t?a=s+1:r=s}let i=a;for(;i<e.length&&e[i].top<=o;)i++;return[a,i]}var Yr=400;function Qr({groups:e,size:t}){let o=B(null),a=T(0),r=T("0 0"),i=q(()=>Kr(e,t,a.value||1100),[e,t,a.value]),s=()=>{let d=o.current?.getBoundingClientRect().
top??0,[u,m]=Gr(i.rows,-d-Yr,innerHeight-d+Yr);r.value=`${u} ${m}`};ne(()=>{let d=o.current;if(d===null)return;a.value=d.clientWidth;let u=new ResizeObserver(()=>a.
value=d.clientWidth);return u.observe(d),()=>u.disconnect()},[]),ne(s,[i]),S(()=>{let d=0,u=()=>{d||=requestAnimationFrame(()=>{d=0,s()})};return addEventListener(
"scroll",u,{passive:!0}),addEventListener("resize",u),()=>{removeEventListener("scroll",u),removeEventListener("resize",u),cancelAnimationFrame(d)}},[i]);let[l=0,
c=0]=r.value.split(" ").map(Number);return n("div",{ref:o,class:`wall wall-${t}`,style:{height:`${i.height}px`},children:i.rows.slice(l,c).map(d=>n(ad,{row:d,columns:i.
columns,size:t},d.key))})}function ad({row:e,columns:t,size:o}){let a={transform:`translateY(${e.top}px)`,height:`${e.height}px`};return e.kind==="header"?n("h2",
{class:"wall-header",style:a,children:[n("span",{class:"clip",children:e.group.name}),n("span",{class:"faint",children:J(e.group.phones.length,"phone")})]}):n("\
div",{class:"wall-row",style:{...a,gridTemplateColumns:`repeat(${t}, minmax(0, 1fr))`},children:e.serials.map(r=>n(Fr,{serial:r,size:o},r))})}var rd=[{value:"s",name:"S",words:"Small: the screens"},{value:"m",name:"M",words:"Medium: screens and what they do"},{value:"l",name:"L",words:"Large"}];function Zr(){
let e=ee({load:p=>L("/status",{},p),isChangedBy:p=>/^(phone|model)\./.test(p.kind),pollMs:5e3},[]),t=M("phase"),o=M("q"),a=M("group"),r=["s","m","l"].includes(M(
"size"))?M("size"):"m",i=ot(()=>{vt.value;let p=He(),g=Ur(p,M("q")),b=M("phase")?g.filter(E=>E.phase===M("phase")):g;return{all:p.length,counts:Hr(g),found:g.length,
chosen:b.length,labels:Vr(p),groups:jr(b,M("group"))}}),{all:s,counts:l,found:c,chosen:d,labels:u,groups:m}=i.value,f=e.value.value?.waiting_for??[];return n(h,
{children:[n(U,{title:"Fleet",about:n(id,{status:e.value.value})}),f.length>0&&n(re,{tone:"warn",children:[n("p",{children:"Tasks wait for:"}),n("ul",{class:"no\
te-list",children:f.map(p=>n("li",{class:"said",children:p},p))})]}),s===0?n(sd,{isReady:Pn.value&&(e.value.value?.is_ready??!1)}):n(h,{children:[n("div",{class:"\
toolbar",children:[n(wt,{value:o,label:"Search phones",placeholder:"Serial, label, task, goal",onInput:p=>O({q:p})}),n(Bn,{label:"Phases",chosen:t,all:c,choices:Dr.
map(p=>({value:p.phase,name:p.name,count:l[p.phase]})),onChoose:p=>O({phase:p})}),n("div",{class:"toolbar-end",children:[n("label",{class:"toolbar-select",children:[
n("span",{class:"quiet",children:"Group by"}),n("select",{class:"input",value:a,onChange:p=>O({group:p.currentTarget.value}),children:[n("option",{value:"",children:"\
nothing"}),u.map(p=>n("option",{value:p,children:p},p))]})]}),n(St,{label:"Size",value:r,choices:rd,onChoose:p=>O({size:p==="m"?"":p})})]})]}),d===0?n(I,{icon:"\
search",title:"No phone is chosen by these filters",children:n("button",{type:"button",class:"link-button",onClick:()=>O({q:"",phase:""}),children:["Show all ",
w(s)," phones"]})}):n(Qr,{groups:m,size:r})]})]})}function id({status:e}){return e===null?null:n(h,{children:[w(e.running)," running \xB7 ",w(e.waiting)," waiti\
ng \xB7 ",w(e.ended)," ended",e.is_ready&&e.running===0&&e.waiting===0&&n(h,{children:[" \xB7 ",n("a",{href:y.submit(),children:"Submit a batch"})]})]})}function sd({
isReady:e}){return e?n(I,{icon:"phone",title:"The fleet has no phones",action:n(Ke,{text:"manyhands attach SERIAL"}),children:["Attach a phone that adb lists, o\
r start the service with phones, such as ",n("code",{children:"--phones virtual:2"})," for two virtual ones. It appears here at once."]}):n(I,{icon:"clock",title:"\
The fleet is being opened",children:"Phones and actors need about a minute after the start of the service. This page shows them as they come."})}function ei(e){let t="",o=!1;for(let a of e)t+=a?`${o?"L":"M"}${a[0].toFixed(1)} ${a[1].toFixed(1)}`:"",o=a!==null;return t}function ti(e){if(!(e>0))return[0,1];
let t=e/3,o=10**Math.floor(Math.log10(t)),a=o*([1,2,2.5,5,10].find(i=>i*o>=t)??10),r=Math.ceil(e/a-1e-9);return Array.from({length:r+1},(i,s)=>Number((s*a).toPrecision(
12)))}var st=52,ni=20;function oi(e){let{series:t,height:o=140,formatValue:a,formatAt:r}=e,i=B(null),[s,l]=_(400),[c,d]=_(null);ne(()=>{let A=new ResizeObserver(([K])=>K&&
l(Math.max(160,K.contentRect.width)));return i.current&&A.observe(i.current),()=>A.disconnect()},[]);let u=[...new Set(t.flatMap(A=>A.points.map(([K])=>K)))].sort(
(A,K)=>A-K),m=u[0]??0,f=u.at(-1)??1,p=ti(Math.max(0,...t.flatMap(A=>A.points.map(([,K])=>K??0)))),g=p.at(-1)||1,b=A=>st+(A-m)/(f-m||1)*(s-st-4),E=A=>6+(1-A/g)*(o-
ni-10),k=A=>{let K=m+(A-st)/(s-st-4)*(f-m),he=0;u.forEach((Re,an)=>{Math.abs(Re-K)<Math.abs((u[he]??0)-K)&&(he=an)}),d(u.length?he:null)},$=A=>{let K=A.key==="A\
rrowRight"?1:A.key==="ArrowLeft"?-1:0;!K||!u.length||(A.preventDefault(),A.stopPropagation(),d(Math.min(u.length-1,Math.max(0,(c??u.length)+K))))},H=c===null?void 0:
u[c],V=H??u.at(-1);return n("figure",{class:"plot",ref:i,children:[n("figcaption",{class:"plot-legend",children:[t.map(A=>{let K=A.points.find(([he])=>he===V)?.[1];
return n("span",{children:[n("i",{style:{background:`var(${A.colour})`}}),A.name," ",n("b",{children:K==null?pe:a(K)})]},A.name)}),H!==void 0&&n("span",{class:"\
faint plot-at",children:r(H)})]}),n("svg",{width:s,height:o,role:"img","aria-label":e.label,tabIndex:0,onPointerMove:A=>k(A.offsetX),onPointerLeave:()=>d(null),
onKeyDown:$,onBlur:()=>d(null),children:[p.map(A=>n("g",{children:[n("line",{class:"plot-grid",x1:st,x2:s-4,y1:E(A),y2:E(A)}),n("text",{class:"plot-tick",x:st-8,
y:E(A)+4,"text-anchor":"end",children:a(A)})]},A)),u.length>1&&n(h,{children:[n("text",{class:"plot-tick",x:st,y:o-4,children:r(m)}),n("text",{class:"plot-tick",
x:s-4,y:o-4,"text-anchor":"end",children:r(f)})]}),t.map(A=>n("path",{class:"plot-line",style:{stroke:`var(${A.colour})`},d:ei(A.points.map(([K,he])=>he===null?
null:[b(K),E(he)]))},A.name)),H!==void 0&&n("line",{class:"plot-cursor",x1:b(H),x2:b(H),y1:4,y2:o-ni})]})]})}function Te({facts:e}){return n("dl",{class:"facts",children:e.filter(([,t])=>t!=null&&t!==""&&t!==!1).map(([t,o])=>n("div",{class:"fact",children:[n("dt",{children:t}),
n("dd",{children:o})]},t))})}var ai=["--accent","--stage-perceive","--stage-act","--stage-verify","--stage-note","--quiet-fill"];function On(e,t,o,a){return[...new Set(e.flatMap(i=>t(i).map(
o)))].sort().map((i,s)=>({name:i,colour:ai[s%ai.length]??"--accent",points:e.map(l=>[l.at,ld(t(l).filter(c=>o(c)===i).map(a))])}))}function ld(e){let t=e.filter(
o=>o!==null);return t.length===0?null:t.reduce((o,a)=>o+a,0)}function Ce(e,t,o,a="--accent"){return{name:e,colour:a,points:t.map(r=>[r.at,o(r)])}}var ri=e=>e.input_tokens_per_min+
e.output_tokens_per_min;function ii(e){return On(e,t=>t.roles,t=>t.role,ri)}function si(e){return On(e,t=>t.roles,t=>Fn(t.server),ri)}function li(e){return Ce("\
of input tokens",e,t=>{let o=t.roles.filter(r=>r.cached_share!==null&&r.input_tokens_per_min>0),a=o.reduce((r,i)=>r+i.input_tokens_per_min,0);return a===0?null:
o.reduce((r,i)=>r+i.input_tokens_per_min*(i.cached_share??0),0)/a})}function ci(e){return On(e,t=>t.roles.filter(o=>o.latency_ms!==null),t=>t.role,t=>t.latency_ms)}
function di(e){return On(e,t=>t.roles,t=>t.role,t=>t.errors_per_min)}function ui(e){let t=(o,a)=>o.models.reduce((r,i)=>r+i[a],0);return[Ce("in flight",e,o=>t(o,
"in_flight")),Ce("waiting",e,o=>t(o,"waiting"),"--stage-act")]}function pi(e){return[Ce("reading",e,t=>t.perception?.reading??null,"--stage-perceive"),Ce("waiti\
ng",e,t=>t.perception?.waiting??null,"--stage-act"),Ce("workers",e,t=>t.perception?.workers??null,"--quiet-fill")]}function Fn(e){return e.replace(/^https?:\/\//,
"").replace(/\/v1\/?$/,"")||"no server"}var mi=new Set(["up","healthy","closed","ok","ready"]);function fi({servers:e}){return e.length===0?null:n("section",{class:"health-section",children:[n("h2",{children:"\
Servers"}),n("div",{class:"health-scroll panel",tabIndex:0,role:"region","aria-label":"Servers",children:n("table",{class:"health-table",children:[n("thead",{children:n(
"tr",{children:[n("th",{scope:"col",children:"Server"}),n("th",{scope:"col",children:"State"}),n("th",{scope:"col",class:"num",children:"In flight"}),n("th",{scope:"\
col",class:"num",children:"Running there"}),n("th",{scope:"col",class:"num",children:"Waiting there"}),n("th",{scope:"col",class:"num",children:"Its cache is fu\
ll"})]})}),n("tbody",{children:e.map(t=>n("tr",{children:[n("td",{class:"mono said",children:Fn(t.server)}),n("td",{children:n(W,{tone:mi.has(t.state)?"good":"w\
arn",icon:mi.has(t.state)?"check":"warning",children:t.state})}),n("td",{class:"num",children:w(t.in_flight)}),n("td",{class:"num",children:w(t.running)}),n("td",
{class:"num",children:w(t.waiting)}),n("td",{class:"num",children:we(t.cache_usage)})]},t.server))})]})})]})}function hi({newest:e}){let t=ee({load:o=>L("/model\
s",{},o),pollMs:1e4},[]);return n("section",{class:"health-section",children:[n("h2",{children:"Models"}),t.problem.value&&n(C,{problem:t.problem.value}),t.value.
value?.length===0&&n("p",{class:"quiet",children:"No model yet: the fleet is being opened."}),t.value.value&&t.value.value.length>0&&n("div",{class:"health-scro\
ll panel",tabIndex:0,role:"region","aria-label":"Models",children:n("table",{class:"health-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"\
col",children:"Role"}),n("th",{scope:"col",children:"Model"}),n("th",{scope:"col",children:"Servers"}),n("th",{scope:"col",class:"num",children:"Calls"}),n("th",
{scope:"col",class:"num",children:"Failed"}),n("th",{scope:"col",class:"num",children:"In flight, of at most"})]})}),n("tbody",{children:t.value.value.map(o=>{let a=e?.
models.find(r=>r.role===o.role);return n("tr",{children:[n("td",{children:o.role}),n("td",{class:"said",children:o.model}),n("td",{class:"mono said",children:o.
servers.map(Fn).join(", ")}),n("td",{class:"num",children:w(o.calls??0)}),n("td",{class:"num",children:w(o.failures??0)}),n("td",{class:"num",children:a?`${w(a.
in_flight)} / ${a.cap==null?pe:w(a.cap)}`:pe})]},o.role)})})]})})]})}var cd=3600;async function dd(e,t){let o=e?.points.at(-1)?.at,a=await L("/figures",{after:o},t),r=a.points.at(-1)?.at??o??0,i=(e?.points??[]).filter(s=>s.at>r-cd&&
s.at<(a.points[0]?.at??1/0));return{...a,points:[...i,...a.points]}}function gi(){let e=B(null),t=ee({load:async r=>e.current=await dd(e.current,r),pollMs:1e4,everyMs:5e3},
[]),o=ee({load:r=>L("/status",{},r),pollMs:1e4},[]),a=t.value.value?.points??[];return n(h,{children:[n(U,{title:"Health",about:"What the fleet does and costs, \
over the last hour"}),t.problem.value&&n(C,{problem:t.problem.value}),o.value.value&&n(ud,{status:o.value.value,newest:a.at(-1)??null}),t.value.value!==null&&a.
length<2?n(I,{icon:"chart",title:"The first figures come within some seconds",children:["The service keeps one point every ",F(t.value.value.every_s),", for an \
hour."]}):n(pd,{points:a}),a.length>0&&n(fi,{servers:a.at(-1)?.servers??[]}),n(hi,{newest:a.at(-1)??null})]})}function ud({status:e,newest:t}){return n(Te,{facts:[
["Steps a minute",t&&ye(t.steps_per_min)],["Running",w(e.running)],["Waiting",w(e.waiting)],["Ended",w(e.ended)],["Phones",w(e.phones)],["Started",te(e.started_at)],
["Version",e.version]]})}function pd({points:e}){if(e.length<2)return null;let t=[Ce("running",e,a=>a.episodes),Ce("waiting",e,a=>a.waiting,"--quiet-fill")],o=a=>F(
a/1e3);return n("div",{class:"plots",children:[n(Je,{title:"Steps a minute",series:[Ce("all phones",e,a=>a.steps_per_min)],format:ye}),n(Je,{title:"Tokens a min\
ute, by role",series:ii(e),format:fe}),n(Je,{title:"Tokens a minute, by server",series:si(e),format:fe}),n(Je,{title:"Input tokens that were cached",series:[li(
e)],format:we}),n(Je,{title:"Model calls",series:ui(e),format:ye}),n(Je,{title:"Latency of a call, by role",series:ci(e),format:o}),n(Je,{title:"Failed calls a \
minute, by role",series:di(e),format:ye}),n(Je,{title:"Perception",series:pi(e),format:ye}),n(Je,{title:"Tasks",series:t,format:ye})]})}function Je(e){return n(
"section",{class:"plot-card panel",children:[n("h2",{children:e.title}),n(oi,{label:`${e.title}, the last hour`,series:e.series,formatValue:e.format,formatAt:yt,
height:132})]})}function vi(){return n("p",{class:"live-lost",role:"status",children:[n(v,{name:"warning"})," The film's screens cannot be reached. The page tries again by itse\
lf, and the film goes on here."]})}var md=/[\p{Cc}\p{Cf}\s]+/gu;function zo(e){return Math.hypot(e.x2-e.x1,e.y2-e.y1)>12}function bi({touches:e,elements:t}){let o=e[0];if(e.length!==1||!o||zo(o))
return"";let a=null,r="";for(let s of t){let l=s.content.replace(md," ").trim();!l||!fd(s,o)||a&&yi(a)<=yi(s)||([a,r]=[s,l])}let i=[...r];return i.length>40?`${i.
slice(0,39).join("").trimEnd()}\u2026`:r}function fd(e,{x1:t,y1:o}){return e.x1<=t&&t<=e.x2&&e.y1<=o&&o<=e.y2}function yi(e){return(e.x2-e.x1)*(e.y2-e.y1)}var lt={A:"as expected",B:"a wrong page",C:"nothing changed"},hd={finished:"the agent said that the task is done",impossible:"the agent said that the goal canno\
t be reached",step_limit:"the limit of steps was reached",answer_invalid:"the agent's answer is missing or does not fit what the task asks for",failure_limit:"t\
oo many actions in a row did not do what was expected",repeat_limit:"the same action failed too often in a row",time_limit:"the time limit was reached",unusable_reply:"\
the model's reply could not be used",phone_lost:"the phone was lost",lease_lost:"another holder took the phone",model_failed:"the model failed",perception_failed:"\
the screen could not be read",host_lost:"the process that ran the episode died",no_phone:"no phone was left to run it on",no_model:"no model server answered for\
 too long",cancelled:"it was cancelled",internal_error:"a defect of the program ended it",unfinished:"its journal has no end, because the run was interrupted"},
Do="unfinished";function xi(e){return hd[e]??e.replaceAll("_"," ")}function wi(e){return e.replaceAll("_"," ")}var gd={plan:"planner",decide:"operator",reflect:"\
reflector",note:"notetaker",caption:"captioner",permit:"verifier",recall:"retriever",learn_tips:"tips learner",learn_shortcuts:"shortcuts learner",judge:"judge"};
function kt(e){return gd[e]??e.replaceAll("_"," ")}var vd={Back:"Back",Home:"Home",Enter:"Enter",Switch_App:"App switcher",Wait:"Wait",Stop:"Stop"};function Si(e){
let t=e.action_kind,o=vd[t];return o?t==="Wait"?Se(e):o:t==="Open_App"||t==="Open_Link"||t==="Answer"?Se(e):e.touches.length||e.typed_text||!t?"":Se(e)}function Se(e){
if(!e.action)return"no action";let t=e.action.indexOf(" "),o=t<0?e.action:e.action.slice(0,t),a=e.by_person?"":bi(e);return o.replaceAll("_"," ")+(a&&` \u201C\u2068${a}\
\u2069\u201D`)+e.action.slice(o.length)}function ie(e){return e.episode.ended_at!=null||e.episode.ending!=null}function ki(e){return ie(e)?e:{...e,episode:{...e.
episode,ending:Do}}}var _i=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;function Ei(e,t){if(e===t)return t?[{kind:"\
same",text:t}]:[];let o=e.match(_i)??[],a=t.match(_i)??[],r=0;for(;r<o.length&&r<a.length&&o[r]===a[r];)r+=1;let i=0;for(;i<o.length-r&&i<a.length-r&&o.at(-1-i)===
a.at(-1-i);)i+=1;let s=[{kind:"same",text:a.slice(0,r).join("")}];return s.push(...xd(o.slice(r,o.length-i),a.slice(r,a.length-i))),s.push({kind:"same",text:a.slice(
a.length-i).join("")}),yd(s,e,t)?Sd(s):bd(e,t)}function yd(e,t,o){return e.reduce((r,{kind:i,text:s})=>r+(i==="same"?Ho(s):0),0)>=.5*Math.min(Ho(t),Ho(o))}function Ho(e){
return e.replace(/\s+/gu,"").length}function bd(e,t){return[{kind:"gone",text:e},{kind:"same",text:`
`},{kind:"new",text:t}]}function xd(e,t){let o=[{kind:"gone",text:e.join("")},{kind:"new",text:t.join("")}];if(!e.length||!t.length||e.length>600||t.length>600)
return o;let a=wd(e,t),r=t.length+1,i=[],s=0,l=0;for(;s<e.length||l<t.length;)s<e.length&&l<t.length&&e[s]===t[l]?(i.push({kind:"same",text:t[l]}),s+=1,l+=1):l>=
t.length||s<e.length&&Ht(a,(s+1)*r+l)>=Ht(a,s*r+l+1)?(i.push({kind:"gone",text:e[s]}),s+=1):(i.push({kind:"new",text:t[l]}),l+=1);return i}function wd(e,t){let o=t.
length+1,a=new Uint16Array((e.length+1)*o);for(let r=e.length-1;r>=0;r-=1)for(let i=t.length-1;i>=0;i-=1)a[r*o+i]=e[r]===t[i]?Ht(a,(r+1)*o+i+1)+1:Math.max(Ht(a,
(r+1)*o+i),Ht(a,r*o+i+1));return a}function Ht(e,t){return e[t]??0}function Sd(e){let t=[],o="",a="",r=()=>{o&&t.push({kind:"gone",text:o}),a&&t.push({kind:"new",
text:a}),o=a=""};return e.forEach((i,s)=>{if(i.text)if(i.kind==="gone")o+=i.text;else if(i.kind==="new")a+=i.text;else if(!i.text.trim()&&o&&a&&e[s+1]&&e[s+1]?.
kind!=="same")o+=i.text,a+=i.text;else{r();let l=t.at(-1);l?.kind==="same"?l.text+=i.text:t.push({kind:"same",text:i.text})}}),r(),t}function Pi(e){let{label:t,text:o,before:a}=e;return o?a!==void 0&&o===a?n("details",{class:"field field-folded",children:[n("summary",{children:[n("span",{class:"\
field-label",children:t}),n("span",{class:"field-hint",children:"as before"}),n("span",{class:"field-peek clip",children:o})]}),n(se,{children:o})]}):n(Ut,{label:t,
hint:a===void 0?void 0:a?"changed":"new",children:n(se,{children:a?n(kd,{before:a,after:o}):o})}):null}function Ut(e){return n("section",{class:"field",children:[
n("h2",{class:"field-label",children:[e.label,e.hint&&n("span",{class:"field-hint field-hint-new",children:e.hint})]}),e.children]})}function kd({before:e,after:t}){
let o=q(()=>Ei(e,t),[e,t]);return n(h,{children:o.map((a,r)=>a.kind==="same"?n("span",{children:a.text},r):a.kind==="new"?n("ins",{children:a.text},r):n("del",{
children:a.text},r))})}function se({children:e,class:t=""}){let o=B(null),[a,r]=_(!1),[i,s]=_(!1);return ne(()=>{let l=o.current;!l||i||r(l.scrollHeight>l.clientHeight+
4)}),n(h,{children:[n("div",{ref:o,class:`long-text said ${i?"":"long-text-cut"} ${t}`,dir:"auto",children:e}),(a||i)&&n("button",{type:"button",class:"long-tex\
t-more","aria-expanded":i,onClick:()=>s(!i),children:i?"Show less":"Show all"})]})}var _d=/[([]\s*(\d{1,4})\s*,\s*(\d{1,4})\s*[)\]]/g;function In(e){let{width:t,height:o}=e;if(!t||!o)return"";let a=e.touches.flatMap(r=>[[r.x1,r.y1],[r.x2,r.y2]]);
for(let[r,i,s]of[e.thought,e.error,e.expectation].flatMap(l=>[...(l??"").matchAll(_d)])){let l=[Number(i),Number(s)],c=a.find(([d,u])=>Ti(l,[d*1e3/t,u*1e3/o]));
if(c&&!Ti(l,c))return`The model counts from 0 to 1,000 across the screen. Its ${r} is (${c.join(", ")}) in pixels.`}return""}function Ti(e,t){return Math.abs(e[0]-
t[0])<=2&&Math.abs(e[1]-t[1])<=2}function Jn(e){let{ending:t,verified:o,unmet:a}=e.episode;return ie(e)?t==="cancelled"?"cancelled":o===!0&&!e.unexpected_changes.length?"done":o===!1||e.unexpected_changes.
length||t!=="finished"?"failed":a?.length?"undecided":"done":"running"}function Ci(e){let t=Jn(e);return t!=="failed"&&t!=="undecided"?null:{headline:Ed(e,t),lines:Pd(
e)}}function Ed(e,t){let{ending:o,verified:a,unmet:r}=e.episode,i=xi(o??"");if(t==="undecided")return"Nobody could tell whether the task is done: its check was \
not answered.";if(String(o)===Do)return`Nobody knows whether the task was done: ${i}.`;if(o==="finished")return a===!1?"The agent said that the task is done, bu\
t the task's check does not hold.":"The agent said that the task is done, but it also changed what it must not change.";let s=r?.length&&o!=="step_limit"?" The \
task's check does not hold.":"";return`The episode ended before the task was done: ${i}.${s}`}function Pd(e){let{reason:t,unmet:o,ending:a}=e.episode,r=[],i=ct(
e),s=i===null?void 0:e.steps[i],l=s&&Vo(s)[0];if(s&&i!==null&&l){let c=t?.includes(l.text)?`${l.title}.`:l.text;r.push({label:`Step ${s.step}`,text:`It sent: ${Se(
s)}`,step:s.step}),s.thought&&r.push({label:"It thought",text:s.thought}),s.expectation&&r.push({label:"It expected",text:s.expectation}),r.push({label:"Then",text:c});
let d=In(s);d&&r.push({label:"Places",text:d});let u=Md(e,i);u.length&&r.push({label:"Again at",text:`step${u.length===1?"":"s"} ${u.join(", ")}`})}a!=="finishe\
d"&&t&&r.push({label:"Reason",text:t});for(let c of o??[])r.push({label:"Expected",text:c.expected},{label:"Found",text:c.found});for(let c of e.judged)c.verdict!==
"yes"&&r.push({label:`Judge: ${c.verdict??"no answer"}`,text:c.reason});for(let c of e.unexpected_changes)r.push({label:"Not allowed",text:Td(c)});return r}function Td(e){
return e.before==null?`${e.path}: added ${e.after??""}`:e.after==null?`${e.path}: removed ${e.before}`:`${e.path}: ${e.before} became ${e.after}`}function ct(e){
let t=Jn(e),{steps:o}=e;if(t!=="failed"&&t!=="undecided"||!o.length)return null;let a=Cd(o),r=o.findIndex((s,l)=>l>a&&Uo(s));if(r>=0)return r;let i=o.findLastIndex(
s=>Rd(s,e));return i>=0?i:o.length-1}function Cd(e){let t=-1,o=!1,a=new Set;return e.forEach((r,i)=>{let s=o&&(r.action_kind==="Back"||r.action_kind==="Home");Mi(
r)&&!s&&!a.has(r.action)?(t=i,o=!1):Uo(r)&&(o=!0),a.add(r.action)}),t}function Md(e,t){let o=e.steps[t]?.action;return o?e.steps.slice(t+1).filter(a=>a.action===
o&&Uo(a)).map(a=>a.step):[]}function Rd(e,t){return e.typed_text.split(`
`).map(a=>a.trim()).filter(Boolean).some(a=>(t.episode.unmet??[]).some(r=>r.expected.includes(a)&&!r.found.includes(a)))}function Wn(e,t=e.steps.length){let o=e.
steps.slice(0,t).findLastIndex(Mi);return o<0?null:o}function Mi(e){return e.outcome==="A"&&!e.problem}function Uo(e){return e.outcome==="B"||e.outcome==="C"||!!e.
problem||e.failures.length>0}function Vo(e){let t=[],o=new Set,a=(r,i,s)=>{s&&[...o].some(l=>l.includes(s))||(o.add(s),t.push({tone:r,title:i,text:s}))};for(let r of e.
failures)a("bad","A stage gave no result",r);if(e.problem&&a("bad",e.action?"The action was not carried out":"There is no action",e.problem),e.outcome==="B"||e.
outcome==="C"){let r=`After the action: ${lt[e.outcome]}`;o.has(e.error)||a(e.outcome==="B"?"bad":"warn",r,e.error)}if(e.wrong_page!=null){let r=e.went_back===!1?
"Going back did not lead to the page from before.":"The agent went back.";a("warn","The action led to a wrong page",r)}for(let r of e.findings)r.is_problem&&a("\
warn",`A problem of the stage ${r.stage}`,r.text);for(let r of e.calls)r.error&&a("bad",`A call of the ${kt(r.role)} failed`,r.error);for(let r of e.resumed)a("\
quiet","The episode was interrupted before this step and resumed",r);return t}var dt=["side","slider","one"],_t=["step","screen","timing","calls","log"],Vt={step:"Step",screen:"Screen",timing:"Timing",calls:"Model calls",log:"Log"};function Ai(e,t=!1){
let{steps:o}=e,a=M("step"),r=a===""?-1:Ad(o,Number(a)),i=r<0&&!ie(e),s=i||t,l=r>=0?r:s?o.length-1:ct(e)??0,c=o[l];return c?{index:l,step:c,previous:o[l-1],next:o[l+
1],count:o.length,isFollowing:i,view:Ri(dt,M("view"),"side"),face:M("face")==="after"?"after":"before",tab:Ri(_t,M("tab"),"step"),boxes:M("boxes")==="1",changes:M(
"changes")!=="0"}:null}function Ad(e,t){if(!Number.isInteger(t))return-1;let o=0,a=e.length-1;for(;o<a;){let r=Math.ceil((o+a)/2);e[r].step<=t?o=r:a=r-1}return e.
length?o:-1}function Ri(e,t,o){return e.find(a=>a===t)??o}function jt({steps:e}){let t=e[0]?.step,o=e.at(-1)?.step;return t===o?"":`of ${t} to ${o}`}function Me(e,t){
let o=e.steps[Math.min(Math.max(t,0),e.steps.length-1)];o&&O({step:o.step})}function Xn(e){return de(Be.value.path,{...Be.value.choices,step:e})}function qn(){O(
{step:null})}function zn(e){O({tab:e==="step"?null:e})}function Dn(e){O({view:e==="side"?null:e})}function Li(e){O({view:"one",face:e==="before"?null:e})}function Et(e){
O({boxes:e?1:null})}function Hn(e){O({changes:e?null:0})}function $i({report:e}){let t=Ci(e);return t?n("section",{class:"failure","aria-label":"Why it failed",children:[n("h2",{class:"failure-head",children:[n(v,{name:"\
warning"}),t.headline]}),n("dl",{class:"failure-lines",children:t.lines.map((o,a)=>n("div",{class:"failure-line",children:[n("dt",{children:o.step===void 0?o.label:
n("a",{href:Xn(o.step),children:o.label})}),n("dd",{children:n(se,{class:"failure-text",children:o.text})})]},a))})]}):null}function Pt(e,t){let o=t.join(" "),[a,r]=_({key:o,urls:[]}),[i,s]=_(null),l=a.key===o?a.urls:[],c=t.find(d=>!l.includes(d))??null;return S(()=>{if(s(null),c!==null||
!t.length)return;let d=!0;return Jt(e,()=>Promise.any(t.map(Bi))).then(()=>d&&r({key:o,urls:[]}),()=>d&&s(o)),()=>{d=!1}},[o,c,e]),{url:c,isMissing:!t.length||i===
o,onError:()=>c!==null&&r({key:o,urls:[...l,c]})}}async function Kt(e,t){try{return await Jt(e,()=>Bi(t))}catch{return null}}function Bi(e){return new Promise((t,o)=>{
let a=new Image;a.onload=()=>t(a),a.onerror=()=>o(new Error(`${e} could not be loaded`)),a.src=e})}var Ni=[.5,1,2,4,8],Ld=1400;function Oi(e,t,o){let[a,r]=_(!1),[i,s]=_(1),l=t?.index??0,c=e.steps.length-1;return S(()=>{if(!a)return;if(l>=c){r(!1);return}let u=!0,
m=async()=>{await $d(o,e.steps[l+1]),u&&Me(e,l+1)},f=setTimeout(()=>{m()},Ld/i);return()=>{u=!1,clearTimeout(f)}},[a,i,l,c,o]),{isPlaying:a,speed:i,toggle:()=>{
!a&&l>=c&&Me(e,0),r(!a&&c>0)},setSpeed:s}}async function $d(e,t){let o=[t?.screen,t?.screen_after].map(a=>a?e.pictureUrl(a,"full"):null);await Promise.all(o.map(
a=>a===null?null:Kt(e.reach,a)))}function Fi({report:e,film:t,player:o,note:a}){let r=ct(e),i=r===null?null:Wn(e,r),s=l=>Me(e,l);return n("div",{class:"controls",role:"group","aria-label":"Film",
children:[n("div",{class:"controls-play",children:[n(x,{icon:"first",kind:"quiet",label:"First step (Home)",disabled:t.index===0,onClick:()=>s(0)}),n(x,{icon:"l\
eft",kind:"quiet",label:"Step before (\u2190)",disabled:t.index===0,onClick:()=>s(t.index-1)}),n(x,{icon:o.isPlaying?"pause":"play",kind:"primary",label:o.isPlaying?
"Pause (Space)":"Play (Space)",onClick:o.toggle}),n(x,{icon:"right",kind:"quiet",label:"Next step (\u2192)",disabled:t.index>=t.count-1,onClick:()=>s(t.index+1)}),
n(x,{icon:"last",kind:"quiet",label:"Last step (End)",disabled:t.index>=t.count-1,onClick:()=>s(t.count-1)}),n("select",{class:"controls-speed","aria-label":"Sp\
eed",value:String(o.speed),onChange:l=>o.setSpeed(Number(l.currentTarget.value)),children:Ni.map(l=>n("option",{value:String(l),children:[l,"\xD7"]},l))})]}),n(
Nd,{report:e,film:t}),n("span",{class:"controls-count",children:["Step ",n("strong",{children:w(t.step.step)}),n("span",{class:"faint",children:[" ",jt(e)]})," ",
n("span",{class:"quiet",role:"status",children:a})]}),n("div",{class:"controls-jumps",children:[r!==null&&n(x,{title:"To the failure (F)",onClick:()=>s(r),disabled:r===
t.index,children:[n(v,{name:"warning"})," To the failure"]}),i!==null&&n(x,{title:"To the last action that was as expected (G)",onClick:()=>s(i),disabled:i===t.
index,children:[n(v,{name:"check"})," Last good step"]}),!ie(e)&&n(x,{pressed:t.isFollowing,title:"Follow the newest step (L)",onClick:qn,children:[n("span",{class:`\
live-dot${t.isFollowing?" live-dot-on":""}`})," Follow"]})]})]})}var Bd={A:5,B:16,C:11,none:3};function Nd({report:e,film:t}){let{steps:o}=e,a=Math.max(1,o.length);
return n("div",{class:"line",style:{maxWidth:`${o.length*48}px`},children:[n("svg",{class:"line-verdicts",viewBox:`0 0 ${a} 16`,preserveAspectRatio:"none","aria\
-hidden":"true",children:[["A","B","C","none"].map(r=>n("path",{class:`line-${r}`,d:Od(o,r)},r)),n("rect",{class:"line-now",x:t.index,width:1,y:0,height:16})]}),
n("input",{class:"line-input",type:"range",min:0,max:Math.max(0,o.length-1),value:t.index,"aria-label":"Step","aria-valuetext":`Step ${t.step.step} ${jt(e)}`,onInput:r=>Me(
e,Number(r.currentTarget.value))})]})}function Od(e,t){let o=e.length>300?0:.12,a=Bd[t],r="";return e.forEach((i,s)=>{(i.outcome??"none")===t&&(r+=`M${s+o} 16h${1-
2*o}v-${a}h-${1-2*o}z`)}),r}var Fd={running:{tone:"accent",icon:"play",words:"running"},done:{tone:"good",icon:"check",words:"done"},failed:{tone:"bad",icon:"cross",words:"failed"},undecided:{
tone:"warn",icon:"info",words:"undecided"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"}};function Id({name:e,isReader:t}){return{tone:"warn",icon:"han\
d",words:`taken over by ${t?"you":e||"a person"}`}}function Ii({report:e,person:t,tools:o}){let{episode:a}=e,r=Jn(e),i=r==="running"&&t?Id(t):Fd[r];return n("he\
ader",{class:"film-head",children:[n("div",{class:"film-title",children:[n(W,{tone:i.tone,icon:i.icon,children:i.words}),n("h1",{children:n(se,{class:"film-goal",
children:a.goal})}),o&&n("div",{class:"film-tools",children:o})]}),n(Jd,{report:e}),a.answer!=null&&n("p",{class:"film-answer",children:[n("span",{class:"quiet",
children:"Answer"}),n("span",{class:"said",children:a.answer})]}),n(Xd,{report:e})]})}function Jd({report:e}){let{episode:t,steps:o}=e,a=i=>o.reduce((s,l)=>s+l[i],
0),r=t.ended_at==null?null:t.ended_at-t.started_at;return n("dl",{class:"film-facts",children:[n(ce,{name:"Task",children:[n("bdi",{children:t.task}),t.attempt>
1&&`, attempt ${t.attempt}`]}),t.ending&&n(ce,{name:"Ending",children:wi(t.ending)}),t.verified!=null&&n(ce,{name:"Check",children:[t.verified?"holds":"does not\
 hold",t.verified_by==="judge"&&", by a judge"]}),t.phone&&n(ce,{name:"Phone",children:n("bdi",{children:t.phone})}),n(ce,{name:"Steps",children:[w(t.steps)," d\
one",e.max_steps!=null&&`, at most ${w(e.max_steps)}`]}),r!==null&&n(ce,{name:"Time",children:F(r)}),n(ce,{name:"Model",children:[J(a("model_calls"),"call"),", ",
fe(a("input_tokens"))," tokens in,"," ",fe(a("output_tokens"))," out"]}),n(ce,{name:"Began",children:[te(t.started_at)," ",kr(t.started_at)]}),(t.resumed??0)>0&&
n(ce,{name:"Resumed",children:J(t.resumed??0,"time")}),(t.damaged??0)>0&&n(ce,{name:"Journal",children:[J(t.damaged??0,"place")," cannot be read"]})]})}function ce({
name:e,children:t}){return n("div",{class:"film-fact",children:[n("dt",{children:e}),n("dd",{class:"said",children:t})]})}var Wd={given:"given",added:"taught",changed:"\
changed",removed:"removed"};function Xd({report:e}){let{episode:t}=e;return n("details",{class:"film-details",children:[n("summary",{children:[n(v,{name:"right",
size:12})," More about this episode"]}),n("dl",{class:"film-facts",children:[n(ce,{name:"Episode",children:n("bdi",{class:"mono",children:t.id})}),e.batch&&n(ce,
{name:"Batch",children:e.batch}),n(ce,{name:"Profile",children:t.profile}),e.schedule&&n(ce,{name:"Schedule",children:e.schedule}),e.apps.length>0&&n(ce,{name:"\
Apps",children:e.apps.join(", ")}),e.tags.length>0&&n(ce,{name:"Tags",children:e.tags.join(", ")})]}),t.answer_data!=null&&n("pre",{class:"said film-data",children:JSON.
stringify(t.answer_data,null,2)}),e.judged.map((o,a)=>n("p",{class:"film-judged",children:[n(W,{tone:o.verdict==="yes"?"good":o.verdict==="no"?"bad":"warn",children:[
"judge: ",o.verdict??"no answer"]})," ",n("span",{class:"said",children:o.statement})," ",n("span",{class:"said quiet",children:o.reason})]},a)),e.lesson_problem&&
n("p",{class:"said",children:["Nothing was learned: ",e.lesson_problem]}),e.lessons.length>0&&n("ul",{class:"film-lessons",children:e.lessons.map((o,a)=>n("li",
{children:[n(W,{tone:o.way==="given"?"quiet":"accent",children:[o.kind,", ",Wd[o.way]]}),n(se,{children:o.text||o.id})]},a))})]})}function Ji(e,t,o,a){Ue("Film",t?qd(e,t,o,a):[])}function qd(e,t,o,a){let r=(d,u="")=>()=>{d!==null?Me(e,d):a(u)},i=ct(e),s=ie(e)?"This episode did not fail.":"\
It has not failed so far.",l=[{key:"ArrowRight",does:"next step",run:r(t.index+1)},{key:"ArrowLeft",does:"step before",run:r(t.index-1)},{key:".",does:"next ste\
p, on a tab, too",run:r(t.index+1)},{key:",",does:"step before, on a tab, too",run:r(t.index-1)},{key:"Home",does:"first step",run:r(0)},{key:"End",does:"last s\
tep",run:r(t.count-1)},{key:" ",does:"play or pause",run:o.toggle},{key:"f",does:"to the failure",run:r(i,s)},{key:"g",does:"to the last action that was as expe\
cted",run:r(Wn(e,i??t.count),"No action before was as expected.")},{key:"l",does:"follow the newest step",run:()=>!ie(e)&&qn()},{key:"c",does:"flip between befo\
re and after",run:()=>Li(t.view==="one"&&t.face==="before"?"after":"before")},{key:"v",does:"side by side, slider, one screen",run:()=>Dn(dt[(dt.indexOf(t.view)+
1)%dt.length]??"side")},{key:"b",does:"boxes of what was read",run:()=>Et(!t.boxes)},{key:"d",does:"mark what changed",run:()=>Hn(!t.changes)}],c=_t.map((d,u)=>({
key:String(u+1),does:`show ${Vt[d].toLowerCase()}`,run:()=>zn(d)}));return[...l,...c]}var zd=[{key:"ArrowRight",does:"next tab"},{key:"ArrowLeft",does:"tab before"},{key:"Home",does:"first tab"},{key:"End",does:"last tab"}];function Wi(e){let{tabs:t,
current:o,onChange:a}=e,r=B(null);ne(()=>{r.current&&Dd(r.current,o)},[o,t.length]),Ue("While a tab has the focus",zd);let i=s=>{let l=t.findIndex(u=>u.id===o),
c={ArrowRight:l+1,ArrowLeft:l-1,Home:0,End:t.length-1}[s.key],d=c===void 0?void 0:t[(c+t.length)%t.length];d&&(s.preventDefault(),s.stopPropagation(),a(d.id),s.
currentTarget.querySelector(`[data-tab="${CSS.escape(d.id)}"]`)?.focus())};return n("div",{class:"tabs",ref:r,role:"tablist","aria-label":e.label,onKeyDown:i,children:t.
map(s=>n("button",{type:"button",class:"tab",role:"tab","data-tab":s.id,"aria-selected":s.id===o,"aria-controls":s.id===o?e.panel:void 0,tabIndex:s.id===o?0:-1,
onClick:()=>a(s.id),children:[s.title,s.count!==void 0&&n("span",{class:"tab-count",children:w(s.count)})]},s.id))})}function Dd(e,t){let o=e.querySelector(`[da\
ta-tab="${CSS.escape(t)}"]`);if(!o)return;let[a,r]=[o.offsetLeft-e.offsetLeft,o.offsetLeft-e.offsetLeft+o.offsetWidth];a<e.scrollLeft?e.scrollLeft=a:r>e.scrollLeft+
e.clientWidth&&(e.scrollLeft=r-e.clientWidth)}var Un="manyhands:",Hd=/^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;function qi(e){return Xi(e.messages).flatMap(t=>{let{role:o,content:a}=jo(t),r=typeof o==
"string"?o:"message";return typeof a=="string"?Di(r,a):Xi(a).flatMap(i=>Ud(r,jo(i)))})}function zi(e){return Object.entries(e).filter(([t])=>t!=="messages").map(
([t,o])=>[t,typeof o=="string"?o:JSON.stringify(o,null,2)??""])}function Ud(e,t){let o=Vd(t);return o?[{title:"Picture",role:e,text:"",picture:o}]:typeof t.text==
"string"?Di(e,t.text):[{title:String(t.type??"part"),role:e,text:JSON.stringify(t,null,2),picture:""}]}function Vd(e){let t=jo(e.image_url).url;return typeof t==
"string"&&t.startsWith(Un)?t.slice(Un.length):""}function Di(e,t){let o=[],a="",r=[],i=()=>{let s=r.join(`
`).trim();(a||s)&&o.push({title:a||"Opening",role:e,text:s,picture:""}),r=[]};for(let s of t.split(`
`)){let l=Hd.exec(s);l?(i(),a=(l[1]??l[2]??"").trim()):r.push(s)}return i(),o}function Xi(e){return Array.isArray(e)?e:[]}function jo(e){return typeof e=="objec\
t"&&e!==null?e:{}}function Hi(e){try{let t=JSON.parse(e);return typeof t!="object"||t===null||Array.isArray(t)?null:Object.entries(t).map(([o,a])=>[o,typeof a==
"string"?a:JSON.stringify(a,null,2)])}catch{return null}}var Vi=/^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;function ji(e,t){let o=jd(JSON.stringify(t)),a=["# The key of the server, if it \
asks for one: export MANYHANDS_API_KEY=..."];o.length>1&&a.push("# The folder with the run's screens:",'SCREENS="${SCREENS:-screens}"');for(let r of o){let i=Vi.
exec(r.picture)?.[2];i&&a.push(`# ${r.picture}.png is made from a screen (${i.split("-")[0]??""}): save it from the page.`)}a.push("{");for(let r of o)r.picture&&
a.push(`  base64 < "$SCREENS/${Kd(r.picture)}" | tr -d '\\n'`),a.push(`  printf %s ${Ui(r.text)}`);return a.push("} | curl --silent --show-error \\","  -H 'Cont\
ent-Type: application/json' \\",'  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',`  --data-binary @- ${Ui(Gd(e))}`),`${a.join(`
`)}
`}function jd(e){let[t="",...o]=e.split(`"url":"${Un}`),a=[{picture:"",text:t}];for(let r of o){let i=r.indexOf('"'),s=a.pop();a.push({picture:s.picture,text:`${s.
text}"url":"data:image/png;base64,`}),a.push({picture:r.slice(0,i),text:r.slice(i)})}return a}function Kd(e){return`${Vi.test(e)?e:"picture"}.png`}function Gd(e){
let t=[...e].map(o=>o<" "||o==="\x7F"?"":o).join("");return/\/(chat\/)?completions$/.test(t)?t:`${t.replace(/\/+$/,"")}/chat/completions`}function Ui(e){return`\
'${e.replaceAll("'","'\\''")}'`}var Yd=/^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;function Ki({picture:e,source:t}){let o=Yd.exec(e),a=o?.[1]??
e,r=t.pictureUrl(a,"full"),i=Pt(t.reach,r===null?[]:[r]),s=o?.slice(2).map(Number)??[],l=o?.[2]!==void 0;return n("figure",{class:"prompt-picture",children:[r?i.
url?l?n(Qd,{url:i.url,numbers:s,onError:i.onError}):n("a",{href:r,target:"_blank",rel:"noreferrer",title:"Open the picture",children:n("img",{src:i.url,alt:"Scr\
een shown to the model",loading:"lazy",decoding:"async",onError:i.onError})}):n("p",{class:"quiet",children:i.isMissing?"This picture could not be loaded.":"Thi\
s picture is loaded as soon as it can be reached."}):n("p",{class:"quiet",children:"This report was made without screens."}),n("figcaption",{class:"faint",children:[
l?"A part of a screen":o?"A screen, half as wide":"A screen"," ",n("span",{class:"mono said",children:e.slice(0,8)})]})]})}function Qd(e){let{url:t,numbers:o}=e,
[a=0,r=0,i=1,s=1,l=0,c=0,d=1,u=1,m=0]=o,f=Math.max(1,i-a),p=Math.max(1,s-r);return n("svg",{class:"prompt-crop",viewBox:`${a} ${r} ${f} ${p}`,role:"img","aria-l\
abel":`Part ${m} of a screen, shown to the model`,children:[n("image",{href:t,x:0,y:0,onError:e.onError}),n("rect",{x:l,y:c,width:d-l,height:u-c,class:"prompt-c\
rop-box"}),n("text",{x:l+4,y:c+26,class:"prompt-crop-number",children:m})]})}var Zd=700;function Gi(e){let{call:t,content:o,source:a}=e,r=q(()=>qi(o.request),[o]),i=q(()=>zi(o.request),[o]),[s,l]=_(null);return n(h,{children:[n("section",
{"aria-label":"Reply",children:[n("div",{class:"call-part-head",children:[n("h2",{children:"Reply"}),o.reply!=null&&n(Dt,{label:"Copy the reply",text:()=>o.reply??
"",children:"Copy"})]}),o.reply==null?n("p",{class:"quiet",children:"The model gave no reply."}):n(eu,{reply:o.reply})]}),n("section",{"aria-label":"Prompt",children:[
n("div",{class:"call-part-head",children:[n("h2",{children:"Prompt"}),n(x,{kind:"quiet",onClick:()=>l(s!==!0),children:s===!0?"Fold long ones":"Open all"}),n(Dt,
{label:"Copy as curl",kind:"plain",text:()=>ji(t.server,o.request),children:"Copy as curl"})]}),r.length?n("ol",{class:"prompt",children:r.map((c,d)=>n(tu,{section:c,
source:a,isOpen:s??c.text.length<=Zd,isNewRole:r[d-1]?.role!==c.role},`${d} ${String(s)}`))}):n("p",{class:"quiet",children:"The request was not recorded."}),i.
length>0&&n("details",{class:"prompt-section",children:[n("summary",{children:"Settings of the request"}),n("dl",{class:"prompt-settings",children:i.map(([c,d])=>n(
"div",{children:[n("dt",{class:"mono",children:c}),n("dd",{class:"mono said",children:d})]},c))})]})]})]})}function eu({reply:e}){let t=Hi(e);return t?.length?n(
"dl",{class:"call-reply",tabIndex:0,"aria-label":"Parts of the reply",children:t.map(([o,a])=>n("div",{class:"call-reply-part",children:[n("dt",{class:"mono sai\
d",children:o}),n("dd",{class:"said",dir:"auto",children:a})]},o))}):n("pre",{class:"said call-reply",dir:"auto",tabIndex:0,role:"group","aria-label":"Text of t\
he reply",children:e})}function tu(e){let{section:t}=e;return n("li",{children:[e.isNewRole&&n("span",{class:"prompt-role",children:t.role}),t.picture?n(Ki,{picture:t.
picture,source:e.source}):n("details",{class:"prompt-section",open:e.isOpen,children:[n("summary",{children:[n("bdi",{class:"clip",children:t.title}),n("span",{
class:"faint",children:[fe(t.text.length)," letters"]})]}),n("div",{class:"prompt-text said",dir:"auto",tabIndex:0,role:"group","aria-label":t.title,children:t.
text})]})]})}function Yi({film:e,source:t}){let{step:o}=e,[a,r]=_(null),[i,s]=_(0),l=o.calls.length;if(S(()=>{if(!l)return;let u=!0;return t.loadCalls(o.step).then(m=>u&&r({
step:o.step,calls:m,error:""}),m=>u&&r({step:o.step,calls:null,error:String(m instanceof Error?m.message:m)})),()=>{u=!1}},[o.step,l,t,i]),!l)return n(I,{icon:"\
bolt",title:"No model was asked",children:"This step made no call of a model."});let c=a?.step===o.step?a:null,d=M("call");return n("div",{class:"calls",children:[
c?.error&&n("p",{class:"calls-error",role:"alert",children:["The texts of the calls could not be loaded: ",n("span",{class:"said",children:c.error})," ",n(x,{icon:"\
retry",onClick:()=>s(i+1),children:"Try again"})]}),n("ol",{class:"call-list",children:o.calls.map(u=>n(nu,{call:u,loaded:c,source:t,judges:u.role==="decide"&&!u.
is_repair&&e.previous?.judged_by==="agent"?e.previous.step:null,isOpen:d===String(u.number)||d===""&&l===1},u.number))})]})}function nu(e){let{call:t,judges:o,isOpen:a}=e,
r=e.loaded?.calls?.calls.find(i=>i.number===t.number);return n("li",{class:`call${t.is_dropped?" call-dropped":""}`,children:[n("button",{type:"button",class:"c\
all-head","aria-expanded":a,onClick:()=>O({call:a?"none":t.number}),children:[n(v,{name:a?"down":"right",size:12}),n("span",{class:"call-role",children:kt(t.role)}),
n("span",{class:"call-marks",children:[o!==null&&n(W,{title:`The reply also judges the action of step ${o}.`,children:["judges step ",o]}),t.is_repair&&n(W,{tone:"\
warn",title:"The model was asked again because its answer was invalid.",children:"repair"}),t.is_dropped&&n(W,{title:"Its result was not used.",children:"droppe\
d"}),t.attempts>1&&n(W,{tone:"warn",children:["sent ",t.attempts," times"]}),t.error&&n(W,{tone:"bad",icon:"warning",children:"failed"})]}),n("span",{class:"cal\
l-numbers",children:[n(Vn,{name:"in",value:fe(t.input_tokens)}),n(Vn,{name:"cached",value:we(t.input_tokens?t.cached_tokens/t.input_tokens:null)}),n(Vn,{name:"o\
ut",value:fe(t.output_tokens)}),n(Vn,{name:"took",value:F(t.latency_ms/1e3)})]})]}),t.error&&n(se,{class:"call-error",children:t.error}),a&&n("div",{class:"call\
-body",children:[n("p",{class:"call-where faint",children:[n("bdi",{class:"clip mono",title:t.model,children:t.model||"model unknown"}),n("span",{children:"at"}),
n("bdi",{class:"clip mono",title:t.server,children:t.server}),t.queue_ms>=1&&`after ${F(t.queue_ms/1e3)} in our queue`]}),r?n(Gi,{call:t,content:r,source:e.source}):
n("p",{class:"quiet",children:e.loaded?"The request was not recorded.":"Loading\u2026"})]})]})}function Vn({name:e,value:t}){return n("span",{class:"call-number",
children:[n("span",{class:"faint",children:e})," ",t]})}var ou=/^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/,au=/^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
function Zi(e,t){let o=[];for(let a of e.split(`
`)){let r=a.replace(/\r$/,"");r&&o.push(ru(r,t,o.at(-1)?.at??null))}return o}function ru(e,t,o){let a=ou.exec(e);if(a)return{at:Number(a[1]),level:a[2]??"",tag:a[3]??
"",text:a[4]??""};let r=au.exec(e);if(!r)return{at:o,level:"",tag:"",text:e};let[,i,s,l,c,d,u,m="",f="",p=""]=r;return{at:new Date(Number(i??new Date(t*1e3).getFullYear()),
Number(s)-1,Number(l),Number(c)).getTime()/1e3+Number(d)*60+Number(u),level:m,tag:f,text:p}}function es(e,t,o){return e.filter(a=>a.at!==null&&a.at>=t&&(o===null||
a.at<o))}var Qi="VDIWEF";function ts(e,t,o){let a=Math.max(0,Qi.indexOf(t)),r=o.trim().toLowerCase();return e.filter(i=>i.level&&Qi.indexOf(i.level==="A"?"F":i.
level)<a?!1:!r||i.tag.toLowerCase().includes(r)||i.text.toLowerCase().includes(r))}var iu=500,su=600,lu=[["V","all levels"],["I","info and worse"],["W","warnings and worse"],["E","errors"]];function ns(e){let{report:t,film:o,source:a}=e,[r,i]=_(
null),[s,l]=_(iu),c=t.has_log?a.loadLog:void 0;S(()=>{if(!c)return;let g=!0;return c().then(b=>g&&i(Zi(b,t.episode.started_at)),b=>g&&i(String(b instanceof Error?
b.message:b))),()=>{g=!1}},[c,t.steps.length]);let d=M("find"),u=M("level","V"),[m,f]=cu(o.step,o.next),p=q(()=>Array.isArray(r)&&m!==null?ts(es(r,m,f),u,d):[],
[r,m,f,u,d]);return c?typeof r=="string"?n(I,{icon:"warning",title:"The log could not be loaded",children:n("span",{class:"said",children:r})}):n("div",{class:"\
log",children:[n("div",{class:"log-head",children:[n("input",{class:"field-input",type:"search",placeholder:"Find in tags and texts","aria-label":"Find in the l\
og",value:d,onInput:g=>O({find:g.currentTarget.value})}),n("select",{class:"field-input","aria-label":"Level",value:u,onChange:g=>O({level:g.currentTarget.value===
"V"?null:g.currentTarget.value}),children:lu.map(([g,b])=>n("option",{value:g,children:b},g))}),n("span",{class:"faint",role:"status",children:r?J(p.length,"lin\
e"):"Loading\u2026"})]}),r&&!p.length&&n("p",{class:"quiet log-none",children:d||u!=="V"?"No line of this step fits.":"The phone wrote nothing during this step."}),
n("ol",{class:"log-lines",tabIndex:0,"aria-label":"Log lines of this step",children:p.slice(0,s).map((g,b)=>n("li",{class:`log-line log-${g.level||"none"}`,children:[
n("span",{class:"num faint",children:g.at===null||m===null?"":`+${(g.at-m).toFixed(3)}\xA0s`}),n("span",{class:"log-level",children:g.level}),n("bdi",{class:"lo\
g-tag clip",title:g.tag,children:g.tag}),g.text.length>su?n("div",{children:n(se,{children:g.text})}):n("span",{class:"said",children:g.text})]},b))}),p.length>
s&&n(x,{onClick:()=>l(s+2e3),children:["Show more of ",w(p.length)]})]}):n(I,{icon:"list",title:"No log was recorded",children:["Run with ",n("code",{children:"\
--logcat"})," to keep the phone's log beside the steps."]})}function cu(e,t){let o=i=>[...i.stages.map(s=>s.start),i.taken_at??1/0],a=Math.min(...o(e)),r=t?Math.
min(...o(t)):1/0;return[Number.isFinite(a)?a:null,Number.isFinite(r)?r:null]}var We=P(null);function Ko({elements:e,all:t}){let o=We.value,a=t?[...e].sort((r,i)=>os(i)-os(r)):e.filter(r=>r===o);return n("g",{class:"boxes",children:a.map(
(r,i)=>n("rect",{class:`box box-${r.kind}${r===o?" box-pointed":""}`,x:r.x1,y:r.y1,width:Math.max(1,r.x2-r.x1),height:Math.max(1,r.y2-r.y1),rx:6,onPointerEnter:()=>We.
value=r,onPointerLeave:()=>We.value=null},i))})}function os(e){return(e.x2-e.x1)*(e.y2-e.y1)}function Go(e){let t=We.value;if(!t||!e.elements.includes(t))return null;
let[o,a]=e.size,r=t.y2>a*.8;return n("div",{class:"box-hint",style:{left:`${Math.min(70,100*t.x1/o)}%`,top:r?"auto":`${100*t.y2/a}%`,bottom:r?`${100-100*t.y1/a}\
%`:"auto"},children:[n("span",{class:"faint",children:t.kind})," ",n("bdi",{children:Yo(t)})]})}function Yo(e){return e.content||"(no name)"}function is(e,t){let o=e.naturalWidth,a=e.naturalHeight;if(!o||!a||t.naturalWidth!==o||t.naturalHeight!==a)return null;let r=Math.min(180,o),i=Math.max(1,Math.round(
a*r/o)),s=as(e,r,i),l=s&&as(t,r,i);if(!s||!l)return null;let c=Math.ceil(r/4),d=Math.ceil(i/4),u=new Uint8Array(c*d);for(let g=0;g<i;g+=1)for(let b=0;b<r;b+=1){
let E=4*(g*r+b);du(s,l,E)&&(u[Math.floor(g/4)*c+Math.floor(b/4)]=1)}let m=o/r*4,f=u.reduce((g,b)=>g+b,0),p=uu(u,c,d).map(g=>({x1:Math.round(g.x1*m),y1:Math.round(
g.y1*m),x2:Math.min(o,Math.round(g.x2*m)),y2:Math.min(a,Math.round(g.y2*m))}));return{places:ls(p,0),share:f/u.length,by:"pixels"}}function du(e,t,o){for(let a=0;a<
3;a+=1)if(Math.abs((e[o+a]??0)-(t[o+a]??0))>24)return!0;return!1}function as(e,t,o){let a=document.createElement("canvas");a.width=t,a.height=o;let r=a.getContext(
"2d",{willReadFrequently:!0});if(!r)return null;try{return r.drawImage(e,0,0,t,o),r.getImageData(0,0,t,o).data}catch{return null}}function uu(e,t,o){let a=new Uint8Array(
e.length),r=[];for(let i=0;i<e.length;i+=1){if(!e[i]||a[i])continue;let s={x1:t,y1:o,x2:0,y2:0},l=[i];for(a[i]=1;l.length;){let c=l.pop(),d=c%t,u=Math.floor(c/t);
s.x1=Math.min(s.x1,d),s.y1=Math.min(s.y1,u),s.x2=Math.max(s.x2,d+1),s.y2=Math.max(s.y2,u+1);for(let m=Math.max(0,u-2);m<=Math.min(o-1,u+2);m+=1)for(let f=Math.max(
0,d-2);f<=Math.min(t-1,d+2);f+=1){let p=m*t+f;e[p]&&!a[p]&&(a[p]=1,l.push(p))}}r.push(s)}return r}var rs=12;function ss(e,t,o){let a=[...Gt(e,t),...Gt(t,e)],r=a.
reduce((i,s)=>i+(s.x2-s.x1)*(s.y2-s.y1),0);return{places:ls(a,o[0]*pu),share:Math.min(1,r/Math.max(1,o[0]*o[1])),by:"elements"}}var pu=.05;function ls(e,t){let o=[
...e];for(let a=-1;a!==o.length;){a=o.length;let r=[];for(let i of o){let s=r.findIndex(c=>mu(c,i,t)),l=r[s];l?r[s]=fu(l,i):r.push(i)}o=r}return o}function mu(e,t,o){
return e.x1-o<t.x2&&t.x1-o<e.x2&&e.y1-o<t.y2&&t.y1-o<e.y2}function fu(e,t){return{x1:Math.min(e.x1,t.x1),y1:Math.min(e.y1,t.y1),x2:Math.max(e.x2,t.x2),y2:Math.max(
e.y2,t.y2)}}function Gt(e,t){let o=new Map;for(let a of t){let r=`${a.kind}:${a.content}`,i=o.get(r);i?i.push(a):o.set(r,[a])}return e.filter(a=>!o.get(`${a.kind}\
:${a.content}`)?.some(r=>hu(a,r)))}function hu(e,t){return Math.abs(e.x1-t.x1)<=rs&&Math.abs(e.y1-t.y1)<=rs}var gu=400;function ds({film:e}){let{step:t,next:o}=e,[a,r]=_(""),[i,s]=_(!1);if(!t.elements.length)return n(I,{icon:"screen",title:"Nothing was read",children:"\
Perception read no text and no icon at this step."});let l=a.trim().toLowerCase(),c=l?t.elements.filter(m=>m.content.toLowerCase().includes(l)):t.elements,d=t.elements.
filter(us).length,u=i?c:c.slice(0,gu);return n("div",{class:"screen-panel",children:[o&&o.screen===t.screen_after&&o.screen!==t.screen&&n(yu,{before:t.elements,
after:o.elements}),n("div",{class:"screen-panel-head",children:[n("h2",{children:[J(t.elements.length,"element")," read before the action",d>0&&`, ${d} of them \
by accessibility`]}),n(x,{icon:"layers",pressed:e.boxes,title:"Boxes on the screen (B)",onClick:()=>Et(!e.boxes),children:"Boxes"}),n("input",{class:"field-inpu\
t",type:"search",placeholder:"Find a text","aria-label":"Find a text on the screen",value:a,onInput:m=>r(m.currentTarget.value)})]}),n("ol",{class:"element-list",
onPointerLeave:()=>We.value=null,children:u.map((m,f)=>n(vu,{one:m,number:t.elements.indexOf(m)+1},f))}),!c.length&&n("p",{class:"quiet",children:"No element ha\
s this text."}),u.length<c.length&&n(x,{onClick:()=>s(!0),children:["Show all ",c.length]})]})}function us(e){return e.source==="accessibility"}function vu({one:e,
number:t}){let o=()=>{We.value=e};return n("li",{children:n("button",{type:"button",class:`element-line${We.value===e?" element-pointed":""}`,onPointerEnter:o,onFocus:o,
onBlur:()=>We.value=null,onClick:o,children:[n("span",{class:"num faint",children:t}),n("span",{class:`element-kind element-${e.kind}`,children:e.kind}),n("span",
{class:"element-text",children:[n("bdi",{children:Yo(e)}),us(e)&&n("span",{class:"element-source faint",title:"The phone told of it, by its accessibility tree",
children:"accessibility"})]}),n("span",{class:"num faint element-place",children:[e.x1,", ",e.y1," \u2013 ",e.x2,", ",e.y2]})]})})}function yu(e){let t=r=>[...new Set(
r.map(i=>i.content).filter(Boolean))],o=t(Gt(e.before,e.after)),a=t(Gt(e.after,e.before));return!o.length&&!a.length?null:n("section",{class:"come-gone","aria-l\
abel":"What the action changed",children:[n(cs,{icon:"plus",title:"Came",texts:a,kind:"come"}),n(cs,{icon:"minus",title:"Went",texts:o,kind:"gone"})]})}var Qo=24;
function cs(e){let{texts:t}=e;return t.length?n("div",{children:[n("h2",{class:"come-gone-title",children:[n(v,{name:e.icon,size:12})," ",e.title]}),n("ul",{class:"\
come-gone-texts",children:[t.slice(0,Qo).map(o=>n("li",{class:`come-gone-text come-gone-${e.kind}`,title:o,children:n("bdi",{children:o})},o)),t.length>Qo&&n("l\
i",{class:"faint",children:["and ",t.length-Qo," more"]})]})]}):null}function ps(e,t){let o=["settle",...t,...e.map(a=>a.stage)];return[...new Set(o)].map(a=>({stage:a,bars:e.filter(r=>r.stage===a)})).filter(a=>a.bars.length>0)}function ms(e,t){
let o=Math.min(...e.map(c=>c.start)),a=Math.max(...e.map(c=>c.end)),r=Math.max(a-o,.001),i=t/r,s=bu(r/Math.max(2,Math.floor(t/90))),l=[];for(let c=0;c*s<=r;c+=1)
l.push({at:c*s,x:c*s*i});return{start:o,seconds:r,worked:e.reduce((c,d)=>c+d.end-d.start,0),perSecond:i,ticks:l,place:c=>(c-o)*i}}function bu(e){let t=10**Math.
floor(Math.log10(e));return([1,2,5,10].find(o=>o*t>=e)??10)*t}function Zo(e){let t=[`${e.stage}: ${F(e.end-e.start)}`];e.queue_ms>=1&&t.push(`of these ${F(e.queue_ms/
1e3)} in queues`);for(let[o,a]of e.away)t.push(`${F(a-o)} without a model server`);return e.assumed.length&&t.push(`began on an assumption about ${e.assumed.join(
" and ")}`),e.became==="dropped"&&t.push(`dropped${e.wrong?`, because ${e.wrong} did not end as assumed`:""}`),e.became==="discarded"&&t.push("discarded by an i\
nterruption"),e.became==="failed"&&t.push(`failed${e.error?`: ${e.error}`:""}`),t.join("; ")}var Yt=30,ut=18,Qt=22,Ge=76,xu=12,fs=10;function hs(e){let{step:t}=e.film,o=B(null),[a,r]=_(640),[i,s]=_(null);if(S(()=>{let u=o.current;if(!u)return;let m=new ResizeObserver(
()=>r(u.clientWidth));return m.observe(u),()=>m.disconnect()},[t.stages.length>0]),S(()=>s(null),[t.step]),!t.stages.length)return n(I,{icon:"clock",title:"No s\
tage has ended yet",children:"The times of a step are known once its stages have run."});let l=ps(t.stages,e.report.stage_order),c=ms(t.stages,Math.max(120,a-Ge-
xu)),d=Qt+l.length*Yt+6;return n("div",{class:"gantt",ref:o,children:[n("p",{class:"gantt-sum",children:[n("strong",{children:F(c.seconds)})," from the first st\
age to the last one; together the stages worked"," ",n("strong",{children:F(c.worked)}),c.worked>c.seconds*1.02&&", so some ran beside each other","."]}),n("svg",
{class:"gantt-plot",width:a,height:d,role:"group","aria-label":"Stages of the step over time",children:[n(Su,{}),c.ticks.map(u=>n("g",{class:"gantt-tick","aria-\
hidden":"true",children:[n("line",{x1:Ge+u.x,x2:Ge+u.x,y1:Qt-4,y2:d}),n("text",{x:Ge+u.x,y:Qt-9,"text-anchor":u.x<10?"start":"middle",children:F(u.at)})]},u.at)),
l.map((u,m)=>n("g",{children:[n("text",{class:"gantt-name",x:Ge-10,y:Qt+m*Yt+Yt/2+4,"text-anchor":"end","aria-hidden":"true",children:u.stage.length>fs?`${u.stage.
slice(0,fs-1)}\u2026`:u.stage}),u.bars.map((f,p)=>n(wu,{bar:f,x:Ge+c.place(f.start),end:Ge+c.place(f.end),y:Qt+m*Yt+(Yt-ut)/2,perMs:c.perSecond/1e3,place:g=>Ge+
c.place(g),isPointed:f===i,onPoint:s},p))]},u.stage))]}),n("p",{class:"gantt-said",role:"status",children:i?Zo(i):"Point at a bar, or move to it by Tab, to read\
 its numbers."}),n(ku,{bars:t.stages}),n(_u,{bars:t.stages,start:c.start,pointed:i,onPoint:s})]})}function wu(e){let{bar:t,x:o,y:a}=e,r=Math.max(3,e.end-o),i=Math.
min(r,t.queue_ms*e.perMs);return n("g",{class:`bar bar-${t.became} bar-stage-${t.stage}${t.assumed.length?" bar-assumed":""}${e.isPointed?" bar-pointed":""}`,tabIndex:0,
role:"img","aria-label":Zo(t),onFocus:()=>e.onPoint(t),onPointerEnter:()=>e.onPoint(t),children:[n("rect",{class:"bar-room",x:o-2,y:a-4,width:r+4,height:ut+8}),
n("rect",{class:"bar-body",x:o,y:a,width:r,height:ut,rx:3}),i>1&&n("rect",{class:"bar-queue",x:o,y:a,width:i,height:ut,rx:3}),t.away.map(([s,l],c)=>n("rect",{class:"\
bar-away",x:e.place(s),y:a,width:Math.max(2,e.place(l)-e.place(s)),height:ut},c)),t.became==="dropped"&&n("line",{class:"bar-strike",x1:o,x2:o+r,y1:a+ut/2,y2:a+
ut/2})]})}function Su(){return n("defs",{children:[n("pattern",{id:"gantt-queue",width:"6",height:"6",patternUnits:"userSpaceOnUse",patternTransform:"rotate(45)",
children:n("rect",{width:"3",height:"6",class:"pattern-queue"})}),n("pattern",{id:"gantt-away",width:"5",height:"5",patternUnits:"userSpaceOnUse",children:n("pa\
th",{d:"M0 0L5 5M5 0L0 5",class:"pattern-away"})})]})}function ku({bars:e}){let t=[e.some(o=>o.queue_ms>1)&&{kind:"queue",text:"waited in a queue"},e.some(o=>o.
assumed.length)&&{kind:"assumed",text:"began on an assumption"},e.some(o=>o.became==="dropped")&&{kind:"dropped",text:"dropped: the assumption was wrong"},e.some(
o=>o.became==="discarded")&&{kind:"dropped",text:"discarded by an interruption"},e.some(o=>o.became==="failed")&&{kind:"failed",text:"failed"},e.some(o=>o.away.
length)&&{kind:"away",text:"no model server answered"}].filter(o=>o!==!1);return t.length?n("ul",{class:"gantt-legend","aria-label":"Legend",children:t.map(o=>n(
"li",{children:[n("svg",{width:"22",height:"12","aria-hidden":"true",children:n("g",{class:`bar bar-legend-${o.kind} ${o.kind==="queue"||o.kind==="away"?"":`bar\
-${o.kind}`}`,children:[n("rect",{class:"bar-body",x:"1",y:"1",width:"20",height:"10",rx:"2"}),o.kind==="queue"&&n("rect",{class:"bar-queue",x:"1",y:"1",width:"\
20",height:"10",rx:"2"}),o.kind==="away"&&n("rect",{class:"bar-away",x:"1",y:"1",width:"20",height:"10"}),o.kind==="dropped"&&n("line",{class:"bar-strike",x1:"1",
x2:"21",y1:"6",y2:"6"})]})}),o.text]},o.text))}):null}function _u(e){return n("div",{class:"gantt-table-room",tabIndex:0,role:"group","aria-label":"Stages as a \
table",children:n("table",{class:"gantt-table",children:[n("thead",{children:n("tr",{children:[n("th",{scope:"col",children:"Stage"}),n("th",{scope:"col",class:"\
num",children:"Began"}),n("th",{scope:"col",class:"num",children:"Took"}),n("th",{scope:"col",class:"num",children:"In queues"}),n("th",{scope:"col",children:"R\
esult"})]})}),n("tbody",{children:e.bars.map((t,o)=>n("tr",{class:t===e.pointed?"gantt-row-pointed":"",onPointerEnter:()=>e.onPoint(t),children:[n("th",{scope:"\
row",class:"said",children:t.stage}),n("td",{class:"num",children:F(t.start-e.start)}),n("td",{class:"num",children:F(t.end-t.start)}),n("td",{class:"num",children:t.
queue_ms>=1?F(t.queue_ms/1e3):"\u2013"}),n("td",{children:[t.became,t.wrong&&`: ${t.wrong} ended otherwise`,t.assumed.length>0&&n("span",{class:"faint",children:[
" assumed ",t.assumed.join(", ")]}),t.error&&n(se,{class:"gantt-error",children:t.error})]})]},o))})]})})}function jn({name:e,isReader:t}){return t?"You have the phone":`${e||"A person"} has the phone`}function gs({report:e,film:t,person:o}){let{step:a,previous:r}=t,i=Vo(a);return n("div",{class:"step-panel",children:[i.length>0&&n("ul",{class:"problems","aria\
-label":"Problems of this step",children:i.map((s,l)=>n("li",{class:`problem problem-${s.tone}`,children:[n(v,{name:s.tone==="quiet"?"info":"warning"}),n("div",
{children:[n("strong",{children:[s.title,"."]}),s.text&&n(se,{children:s.text})]})]},l))}),n(Eu,{report:e,film:t,person:o}),a.thought&&n(Ut,{label:"Thought",children:n(
se,{children:a.thought})}),n(Kn,{label:"Subgoal",report:e,index:t.index,part:"subgoal"}),n(Kn,{label:"Plan",report:e,index:t.index,part:"plan"}),n(Kn,{label:"Pr\
ogress",report:e,index:t.index,part:"progress"}),n(Kn,{label:"Notes",report:e,index:t.index,part:"notes"}),a.findings.some(s=>!s.is_problem)&&n(Ut,{label:"What \
stages found",children:a.findings.map((s,l)=>!s.is_problem&&n(se,{children:`${s.stage}: ${s.text}`},l))}),a.rubrics_held.length>0&&n(Ut,{label:"Milestones that \
held after the step",children:n("ul",{class:"step-rubrics",children:a.rubrics_held.map(s=>n("li",{children:[n(v,{name:r?.rubrics_held.includes(s)?"check":"plus",
size:12}),n("span",{class:"said",children:s})]},s))})}),n("p",{class:"step-facts faint",children:[a.model_calls," model ",a.model_calls===1?"call":"calls"," \xB7 ",
fe(a.input_tokens)," tokens in \xB7"," ",fe(a.output_tokens)," tokens out",a.app&&n(h,{children:[" \xB7 ",n("bdi",{class:"mono said",children:a.app})]})]})]})}function Kn({
label:e,report:t,index:o,part:a}){let r=o===0?void 0:t.steps.slice(0,o).findLast(i=>i[a])?.[a]??"";return n(Pi,{label:e,text:t.steps[o]?.[a]||(r??""),before:r})}
function Eu({report:e,film:t,person:o}){let{step:a}=t,r=In(a),i=!a.action&&t.index===t.count-1&&!ie(e);return n("section",{class:"action-card","aria-label":"Act\
ion",children:[n("div",{class:"action-card-head",children:[n("span",{class:"action-card-words said",dir:"auto",children:i?o?jn(o):"The step is under way":Se(a)}),
a.by_person&&n(W,{tone:"accent",icon:"hand",title:"A person had taken the episode over.",children:n("bdi",{class:"clip",children:["by ",a.by_person]})}),a.outcome?
n($r,{verdict:a.outcome}):a.action&&n(W,{children:"no verdict"}),a.judged_by==="rule"&&n("span",{class:"faint",children:["by the rule ",n("span",{class:"said",children:a.
rule})]}),a.judged_by==="agent"&&n("span",{class:"faint",children:["by the reply of step ",a.step+1]})]}),a.typed_text&&n("p",{class:"action-card-row",children:[
n("span",{class:"faint",children:"Typed"}),n("span",{class:"said",children:a.typed_text})]}),a.expectation&&n("p",{class:"action-card-row",children:[n("span",{class:"\
faint",children:"Expected"}),n("span",{class:"said",children:a.expectation})]}),r&&n("p",{class:"action-card-row",children:[n("span",{class:"faint",children:"Pl\
aces"}),n("span",{class:"said",children:r})]})]})}function vs(e){let{film:t}=e,o={screen:t.step.elements.length,calls:t.step.calls.length};return n("div",{class:"film-panel",children:[n("div",{class:"film-tabs",
children:n(Wi,{label:"About the step",panel:"film-tab-panel",current:t.tab,onChange:a=>zn(_t.find(r=>r===a)??"step"),tabs:_t.map(a=>{let r=o[a];return{id:a,title:Vt[a],
...r?{count:r}:{}}})})}),n("div",{id:"film-tab-panel",class:"film-tab-panel",role:"tabpanel","aria-label":Vt[t.tab],tabIndex:0,children:n(Pu,{...e})})]})}function Pu({
report:e,film:t,source:o,live:a}){switch(t.tab){case"screen":return n(ds,{film:t});case"timing":return n(hs,{report:e,film:t,live:a});case"calls":return n(Yi,{film:t,
source:o});case"log":return n(ns,{report:e,film:t,source:o});default:return n(gs,{report:e,film:t,person:a?.person})}}function ys({screen:e,source:t}){let o=e?[t.pictureUrl(e,"small"),t.pictureUrl(e,"full")]:[],a=Pt(t.reach,o.filter(r=>r!==null));return a.url?n("img",{src:a.url,
alt:"",loading:"lazy",decoding:"async",draggable:!1,onError:a.onError}):n(v,{name:"image"})}var Tu=92,bs=8,xs=6;function ws(e){let{report:t,film:o,source:a}=e,{steps:r}=t,i=Mu(r[0])+bs,s=B(null),[l,c]=_({from:0,to:24}),[d,u]=_(null),m=()=>{let p=s.current;
if(!p)return;let g=Math.max(0,Math.floor(p.scrollLeft/i)-xs),b=Math.min(r.length,Math.ceil((p.scrollLeft+p.clientWidth)/i)+xs);c(E=>E.from===g&&E.to===b?E:{from:g,
to:b})};ne(()=>{let p=s.current;if(!p)return;let g=o.index*i-(p.clientWidth-i)/2,b=Math.abs(g-p.scrollLeft)>2*p.clientWidth;p.scrollTo({left:g,behavior:b||Cu()?
"instant":"smooth"}),m()},[o.index,r.length,i]),S(()=>{let p=new ResizeObserver(m);return s.current&&p.observe(s.current),()=>p.disconnect()},[r.length,i]);let f=(p,g)=>{
let b=g.getBoundingClientRect();u({index:p,left:b.left+b.width/2,top:b.bottom})};return n("div",{class:"strip",ref:s,onScroll:()=>{m(),u(null)},onPointerLeave:()=>u(
null),children:[n("ol",{class:"strip-track",style:{width:`${r.length*i}px`},"aria-label":"Steps",children:r.slice(l.from,l.to).map((p,g)=>{let b=l.from+g;return n(
"li",{class:"strip-place",style:{left:`${b*i}px`},"aria-setsize":r.length,"aria-posinset":b+1,children:n(Ru,{step:p,source:a,width:i-bs,isShown:b===o.index,onShow:()=>Me(
t,b),onPoint:E=>f(b,E)})},p.step)})}),d&&r[d.index]&&n(Lu,{step:r[d.index],source:a,left:d.left,top:d.top})]})}function Cu(){return matchMedia("(prefers-reduced\
-motion: reduce)").matches}function Mu(e){let t=e?.width&&e.height?e.width/e.height:.45;return Math.round(Math.min(132,Math.max(42,Tu*t)))}function Ru(e){let{step:t,
source:o}=e,a=Au(t);return n("a",{class:`strip-step strip-${t.outcome??"none"}${e.isShown?" strip-shown":""}`,style:{width:`${e.width}px`},href:Xn(t.step),"aria\
-current":e.isShown?"step":void 0,onClick:r=>{r.ctrlKey||r.metaKey||r.shiftKey||r.button||(r.preventDefault(),e.onShow())},onPointerEnter:r=>r.pointerType==="mo\
use"&&e.onPoint(r.currentTarget),children:[n("span",{class:"strip-foot",children:[n("span",{class:"unseen",children:"Step "}),t.step,t.outcome&&n("span",{class:"\
strip-letter",children:[t.outcome,n("span",{class:"unseen",children:[": ",lt[t.outcome]]})]}),n("span",{class:"unseen",children:[". ",Se(t)]})]}),n("span",{class:"\
strip-picture",children:[n(ys,{screen:t.screen,source:o}),a.length>0&&n("span",{class:"strip-marks",children:a.map(r=>n("span",{class:`strip-mark strip-mark-${r.
tone}`,title:r.text,children:n(v,{name:r.icon,size:10,label:r.text})},r.text))})]})]})}function Au(e){let t=[];return(e.failures.length||e.problem)&&t.push({icon:"\
warning",tone:"bad",text:"something failed"}),e.wrong_page!=null&&t.push({icon:"left",tone:"warn",text:"a wrong page, the agent went back"}),e.resumed.length&&t.
push({icon:"retry",tone:"accent",text:"interrupted and resumed"}),e.by_person&&t.push({icon:"hand",tone:"accent",text:"a person's action"}),t}function Lu(e){let{
step:t,source:o}=e,a=t.screen?o.pictureUrl(t.screen,"full"):null,r=130;return n("div",{class:"strip-magnified",style:{left:`${Math.min(Math.max(e.left,r),innerWidth-
r)}px`,top:`${e.top+6}px`},"aria-hidden":"true",children:[a&&n("img",{src:a,alt:""}),n("span",{class:"strip-magnified-words",children:[n("strong",{children:["St\
ep ",t.step]}),t.outcome&&` \xB7 ${lt[t.outcome]}`,n("span",{class:"said",children:Se(t)})]})]})}function Ss({live:e}){let[t,o]=_(Date.now()/1e3);return S(()=>{let a=setInterval(()=>o(Date.now()/1e3),500);return()=>clearInterval(a)},[]),n("section",{class:"\
live","aria-label":"Now",children:[e.connection==="lost"&&n("p",{class:"live-lost",role:"alert",children:[n(v,{name:"warning"})," The connection is lost. The pa\
ge connects again by itself and then shows what it missed."]}),n("p",{class:"live-stages",children:[n("span",{class:`live-dot${e.connection==="open"?" live-dot-\
on":""}`,"aria-hidden":"true"}),e.person?n("span",{class:"said",children:$u(e.person,t)}):e.stages.length?e.stages.map(a=>n("span",{class:"live-stage",children:[
n("span",{class:`live-colour live-${a.stage}`,"aria-hidden":"true"}),a.stage," ",n("span",{class:"faint",children:["step ",a.step]})," ",n("span",{class:"live-s\
econds",children:F(Math.max(0,Math.round(10*(t-a.since))/10))})]},`${a.step} ${a.stage}`)):n("span",{class:"quiet",children:"Between two stages"})]}),e.writing?.
text&&n("p",{class:"live-writing",children:[n("span",{class:"faint",children:[kt(e.writing.role)," writes"]})," ",n("span",{class:"said",children:e.writing.text.
slice(-400)})]})]})}function $u(e,t){let o=i=>F(Math.max(0,Math.round(i))),a=e.since===null?"":` for ${o(t-e.since)}`,r=e.endsAt===null?"":` Without another act\
ion, the agent gets it back in ${o(e.endsAt-t)}.`;return`${jn(e)}${a}.${r}`}function ea({step:e,width:t}){let o=t/100,a=e.touches.length>1;return n("g",{class:`action ${e.by_person?"action-person":""}`,children:e.touches.map((r,i)=>n("g",
{children:[zo(r)?n(Nu,{touch:r,unit:o}):n(Bu,{step:e,touch:r,unit:o}),a&&n(Ou,{touch:r,unit:o,number:i+1})]},i))},e.step)}function Bu({step:e,touch:t,unit:o}){let a={
cx:t.x1,cy:t.y1};return n(h,{children:[n("circle",{class:"action-pulse",...a,r:4.2*o}),n("circle",{class:"action-case",...a,r:4.2*o}),n("circle",{class:"action-\
ring",...a,r:4.2*o}),e.action_kind==="Long_Press"&&n("circle",{class:"action-ring",...a,r:6.4*o}),n("circle",{class:"action-dot",...a,r:1.3*o})]})}function Nu({
touch:e,unit:t}){let{x1:o,y1:a,x2:r,y2:i}=e,s=Math.atan2(i-a,r-o),l=u=>{let m=s+Math.PI-u;return`${r+Math.cos(m)*6*t} ${i+Math.sin(m)*6*t}`},c=`M${o} ${a}L${r} ${i}`,
d=`M${l(.5)}L${r} ${i}L${l(-.5)}`;return n(h,{children:[n("path",{class:"action-case",d:c}),n("path",{class:"action-case",d}),n("path",{class:"action-ring",d:c}),
n("path",{class:"action-ring",d}),n("path",{class:"action-flow",d:c,pathLength:100}),n("circle",{class:"action-case",cx:o,cy:a,r:2.6*t}),n("circle",{class:"acti\
on-start",cx:o,cy:a,r:2.6*t})]})}function Ou({touch:e,unit:t,number:o}){return n("text",{class:"action-number",x:e.x1+5*t,y:e.y1-4*t,"font-size":5*t,children:o})}
function ks({step:e}){let t=Si(e);return!t&&!e.typed_text&&!e.by_person?null:n("div",{class:"action-caption",children:[e.by_person&&n("span",{class:"action-chip\
 action-by",children:[n(v,{name:"hand",size:12}),n("bdi",{class:"clip",children:e.by_person})]}),e.typed_text&&n("span",{class:"action-typed",children:[n(v,{name:"\
keyboard",size:14,label:"typed"}),n("span",{class:"said",children:e.typed_text})]}),t&&n("span",{class:"action-chip said",children:t})]})}function Zt(e){let{screen:t,size:o}=e,a=e.source.pictureUrl(t,"full"),r=Pt(e.source.reach,a===null?[]:[a]);return n("div",{class:`shot ${e.class??""}`,style:{"-\
-ratio":String(o[0]/o[1])},children:[r.url?n("img",{class:"shot-picture",src:r.url,alt:e.label,width:o[0],height:o[1],decoding:"async",draggable:!1,onError:r.onError}):
n("div",{class:"shot-missing",role:"img","aria-label":e.label,children:[n(v,{name:"image",size:24}),n("span",{children:Fu(a,r)})]}),e.marks&&n("svg",{class:"sho\
t-marks",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:e.marks}),e.children]})}function Fu(e,t){return e?t.isMissing?"T\
his screen could not be loaded.":"This screen is loaded as soon as it can be reached.":"This report was made without screens."}function _s(e,t){let o=t.filter(Boolean).
join(" ");S(()=>{let a=o.split(" ").filter(Boolean).map(r=>{let i=new Image,s=e.pictureUrl(r,"full");return s&&(i.src=s),i});return()=>a.splice(0)},[o,e])}var Iu=300,en=new Map;function Es(e,t,o){let{screen:a,screen_after:r}=t,i=a&&r?`${a} ${r}`:"",[s,l]=_(null);return S(()=>{if(!a||!r||en.has(i))return;let c=!0,d=u=>{
en.size>Iu&&en.clear(),en.set(i,u),c&&l({pair:i,changes:u})};return Ju(e,t,o).then(d,()=>{}),()=>{c=!1}},[i,e,o?.elements.length]),i?en.get(i)??(s?.pair===i?s.changes:
null):null}async function Ju(e,t,o){let{screen:a,screen_after:r}=t;if(a===r)return{places:[],share:0,by:"pixels"};let i=[a,r].map(l=>l?e.pictureUrl(l,"full"):null);
if(i[0]&&i[1]){let[l,c]=await Promise.all([Kt(e.reach,i[0]),Kt(e.reach,i[1])]),d=l&&c&&is(l,c);if(d)return d}let s=o&&o.screen===r?o.elements:null;if(!s||!t.elements.
length)throw new Error("nothing to compare");return ss(t.elements,s,[t.width??1,t.height??1])}var Wu=.5;function Ts(e){let{film:t,source:o}=e,{step:a,next:r}=t;_s(o,[r?.screen,r?.screen_after,t.previous?.screen]);let i=Es(o,a,r),s={...e,changes:i},l=a.screen_after?
n(Xu,{...s}):n(Rs,{children:e.missing});return t.view==="slider"&&a.screen&&a.screen_after?n(qu,{...s}):t.view!=="side"?n("div",{class:"stage stage-one",children:t.
face==="after"?l:n(Ps,{...s})}):n("div",{class:"stage stage-side",children:[n(Ps,{...s}),l]})}function ta(e,t,o){return e.sizes?.[t]??[o.step.width??1080,o.step.
height??2400]}function Ps({report:e,film:t,source:o}){let{step:a}=t;if(!a.screen)return n(Rs,{children:"No screen was taken at this step."});let r=ta(e,a.screen,
t);return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:yt(
a.taken_at)}),a.app&&n("bdi",{class:"clip faint mono",children:a.app})]}),n("div",{class:"shot-room",children:n(Zt,{source:o,screen:a.screen,size:r,label:`Scree\
n before the action of step ${a.step}`,marks:n(h,{children:[n(Ko,{elements:a.elements,all:t.boxes}),n(ea,{step:a,width:r[0]})]}),children:[n(Go,{elements:a.elements,
size:r}),n(ks,{step:a})]})})]})}function Xu({report:e,film:t,source:o,changes:a}){let{step:r,next:i}=t,s=r.screen_after,l=ta(e,s,t),c=i?.screen===s?i.elements:[],
d=i?.taken_at!=null&&r.taken_at!=null&&i.screen===s?i.taken_at-r.taken_at:null;return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-ca\
ption",children:[n("strong",{children:"After"}),d!==null&&n("span",{class:"faint",children:["+",F(d)]}),n(Ms,{step:t,changes:a})]}),n("div",{class:"shot-room",children:n(
Zt,{source:o,screen:s,size:l,label:`Screen after the action of step ${r.step}`,marks:n(h,{children:[t.changes&&n(Cs,{changes:a}),n(Ko,{elements:c,all:t.boxes})]}),
children:n(Go,{elements:c,size:l})})})]})}function Cs({changes:e}){return!e||e.share>Wu?null:n("g",{children:e.places.map((t,o)=>n("rect",{class:"change",x:t.x1,
y:t.y1,width:t.x2-t.x1,height:t.y2-t.y1,rx:8},o))})}function Ms({step:e,changes:t}){if(e.step.screen===e.step.screen_after)return n("span",{class:"stage-same",children:"\
the same picture"});if(!t)return null;if(!t.places.length)return n("span",{class:"stage-same",children:"no change to see"});let o=t.share<.01?"under 1\xA0%":we(
t.share);return n("span",{class:"faint",title:t.by==="elements"?"Found from what was read off the screens.":void 0,children:[o," changed"]})}function qu(e){let{
report:t,film:o,source:a,changes:r}=e,{step:i}=o,[s,l]=_(50),c=ta(t,i.screen,o);return n("div",{class:"stage stage-one",children:n("figure",{class:"stage-figure",
children:[n("figcaption",{class:"stage-caption",children:[n("strong",{children:"Before"}),n("span",{class:"faint",children:"left of the line,"}),n("strong",{children:"\
after"}),n("span",{class:"faint",children:"right of it"}),n(Ms,{step:o,changes:r})]}),n("div",{class:"shot-room",children:n(Zt,{source:a,screen:i.screen_after,size:c,
label:`Screen after the action of step ${i.step}`,marks:o.changes&&n(Cs,{changes:r}),children:[n("div",{class:"slider-before",style:{clipPath:`inset(0 ${100-s}%\
 0 0)`},children:n(Zt,{source:a,screen:i.screen,size:c,label:`Screen before the action of step ${i.step}`,marks:n(ea,{step:i,width:c[0]})})}),n("div",{class:"sl\
ider-line",style:{left:`${s}%`},"aria-hidden":"true",children:n("span",{class:"slider-knob",children:[n(v,{name:"left",size:12}),n(v,{name:"right",size:12})]})}),
n("input",{class:"slider-input",type:"range",min:0,max:100,value:s,"aria-label":"How much of the screen before is shown","aria-valuetext":`${s} percent before, ${100-
s} percent after`,onInput:d=>l(Number(d.currentTarget.value)),onKeyDown:d=>/^(Arrow|Home|End|Page)/.test(d.key)&&d.stopPropagation()})]})})]})})}function Rs({children:e}){
return n("figure",{class:"stage-figure",children:[n("figcaption",{class:"stage-caption",children:n("strong",{children:"After"})}),n("div",{class:"stage-none",children:e})]})}
function As(e,t,o){return`${`Step ${t.step.step} ${jt(e)}`.trim()}: ${Se(t.step)}${o&&`, ${o}`}`}var zu=460,Du=400,Gn=12;function Ls(e,t){ne(()=>{let o=e.current;if(!o)return;let a=()=>{let i=o.querySelector(".film-reel"),s=Math.min(zu,Hu(i??o)+Gn);o.style.
setProperty("--stage-height",`${Math.max(Du,innerHeight-s-Gn)}px`),o.style.setProperty("--reel",`${(i?.offsetHeight??0)+Gn}px`)},r=new ResizeObserver(a);for(let i of o.
querySelectorAll(".film-head, .film-reel"))r.observe(i);return addEventListener("resize",a),a(),()=>{r.disconnect(),removeEventListener("resize",a)}},[e,t])}function Hu(e){
let t=e.closest(".film")??e,o=t.querySelector(".film-head");return t.getBoundingClientRect().top+scrollY+(o?.offsetHeight??0)+Gn+e.offsetHeight}function na(e){let{source:t,live:o}=e,a=q(()=>o?e.report:ki(e.report),[e.report,o!==void 0]),r=B(""),i=Ai(a,r.current===a.episode.id);i?.isFollowing&&(r.current=
a.episode.id);let s=Oi(a,i,t),[l,c]=_({step:-1,words:""});Ji(a,i,s,u=>c({step:i?.step.step??-1,words:u}));let d=B(null);return Ls(d,i!==null),n("article",{class:"\
film",ref:d,children:[n(Ii,{report:a,person:o?.person,tools:e.tools}),n($i,{report:a}),i?n(h,{children:[n("section",{class:"film-reel panel","aria-label":"Film",
children:[o&&!ie(a)&&n(Ss,{live:o}),!o&&gr(t.reach)&&n(vi,{}),n(ws,{report:a,film:i,source:t}),n(Fi,{report:a,film:i,player:s,note:l.step===i.step.step?l.words:
""})]}),n("section",{class:"film-stage","aria-label":"Screens of the step",children:e.surface??n(h,{children:[n(Vu,{film:i}),n("div",{class:"film-stage-room",children:n(
Ts,{report:a,film:i,source:t,missing:n(ju,{report:a,film:i})})})]})}),n(vs,{report:a,film:i,source:t,live:o}),n("p",{class:"unseen","aria-live":"polite",children:As(
a,i,i.step.outcome?lt[i.step.outcome]:"")})]}):e.surface??n(I,{icon:"image",title:ie(a)?"No step was taken":"No step yet",children:ie(a)?"The episode ended befo\
re its first screen was taken.":"The first screen appears as soon as the phone has sent it."})]})}var Uu={side:"Side by side",slider:"Slider",one:"One screen"};
function Vu({film:e}){return n("div",{class:"film-stage-tools",role:"group","aria-label":"How screens are shown",children:[n("div",{class:"segments",title:"Layo\
ut (V)",children:dt.map(t=>n(x,{kind:"quiet",pressed:e.view===t,onClick:()=>Dn(t),children:Uu[t]},t))}),n(x,{icon:"layers",pressed:e.boxes,title:"Boxes of what \
was read (B)",onClick:()=>Et(!e.boxes),children:"Boxes"}),n(x,{icon:"filter",pressed:e.changes,title:"Mark what changed (D)",onClick:()=>Hn(!e.changes),children:"\
Changes"})]})}function ju({report:e,film:t}){let o=t.index===t.count-1;return o&&!ie(e)?n("span",{children:"The step is under way."}):t.step.action?n("span",{children:o?
"The episode ended before another screen was taken.":"No screen was taken after the action."}):n("span",{children:"No action was sent at this step."})}var $s={least:100,most:2e3};function Bs(e,t,o,a){if(Math.hypot(t.x-e.x,t.y-e.y)<=.02*a)return o>=500?{name:"Long_Press",...e,ms:Math.min(5e3,Math.round(o))}:{name:"\
Tap",...e};let r=Math.round(Math.min($s.most,Math.max($s.least,o)));return{name:"Swipe",x1:e.x,y1:e.y,x2:t.x,y2:t.y,ms:r}}function Ns(e,t,o){let a=(r,i,s,l)=>Math.
min(l-1,Math.max(0,Math.floor((r-i)/Math.max(1,s)*l)));return{x:a(e.x,t.left,t.width,o[0]),y:a(e.y,t.top,t.height,o[1])}}function Os(e,[t,o]){let[a,r,i]=[.25,.5,
.75],s={up:[r,i,r,a],down:[r,a,r,i],left:[i,r,a,r],right:[a,r,i,r]},[l,c,d,u]=s[e].map((m,f)=>Math.round(m*(f%2?o:t)));return{name:"Swipe",x1:l??0,y1:c??0,x2:d??
0,y2:u??0,ms:400}}var Ku=[{name:"Back",words:"Back"},{name:"Home",words:"Home"},{name:"Switch_App",words:"Apps"},{name:"Enter",words:"Enter"}],Gu=[{to:"up",icon:"up"},{to:"down",
icon:"down"},{to:"left",icon:"left"},{to:"right",icon:"right"}],Yu={name:"Wait",seconds:.1};function Fs({size:e,isBusy:t,mayRefresh:o,onAct:a}){let[r,i]=_(""),[
s,l]=_(!1),c=async d=>{d.preventDefault(),!(!r||t)&&await a({name:"Type",text:r,clear:s})&&i(u=>u===r?"":u)};return n("div",{class:"phone-buttons",children:[n("\
div",{class:"phone-row",role:"group","aria-label":"Keys of the phone",children:[Ku.map(d=>n(x,{disabled:t,onClick:()=>{a({name:d.name})},children:d.words},d.name)),
Gu.map(d=>n(x,{icon:d.icon,kind:"quiet",label:`Swipe ${d.to}`,disabled:t,onClick:()=>{a(Os(d.to,e))}},d.to)),n(x,{icon:"retry",kind:"quiet",label:"Take the scre\
en anew",disabled:!o,onClick:()=>{a(Yu)}})]}),n("form",{class:"phone-row",onSubmit:d=>{c(d)},children:[n("input",{class:"phone-text","aria-label":"Text to type \
on the phone",placeholder:"Text to type",value:r,autocomplete:"off",spellcheck:!1,onInput:d=>i(d.currentTarget.value)}),n("label",{class:"phone-clear",children:[
n("input",{type:"checkbox",checked:s,onChange:d=>l(d.currentTarget.checked)})," empty the field first"]}),n(x,{type:"submit",disabled:t||!r,children:"Type"})]})]})}var Qu=700,oa="The text did not come to the phone. Enter sends it again, Escape drops it.",Zu="The text was sent first, and the screen has changed. Look at it, \
and do that again.";function Is(e,t,o){let[a,r]=_(""),[i,s]=_(""),[l,c]=_(""),[d,u]=_(null),m=async()=>{if(e===null)return!1;c(""),r(""),s(a);let b=await o({name:"\
Type",text:a,clear:!1},e);return s(""),b||(r(E=>a+E),c(oa)),b};S(()=>{if(!a||t||d||l===oa)return;let b=setTimeout(()=>{m()},Qu);return()=>clearTimeout(b)},[a,t,
d,l]),S(()=>{if(!d||t||e===null)return;let{action:b,seen:E,answer:k}=d;u(null),ep(b)&&E!==e?(c(Zu),k(!1)):o(b,e).then(k)},[d,t,e]);let f=async(b,E)=>b.name==="W\
ait"||!a?(c(k=>a?k:""),await o(b,E)):await m()?await new Promise(k=>u({action:b,seen:E,answer:k})):!1,p=b=>{r(b),b||c("")},g=()=>{a&&!t&&l!==oa&&m()};return{typed:a,
shown:i+a,note:l,edit:p,send:m,leave:g,act:f}}function ep(e){return e.name==="Tap"||e.name==="Long_Press"||e.name==="Swipe"}function aa(e){let{picture:t,size:o}=e,[a,r]=_(null),[i,s]=_(null),[l,c]=_(null),d=B(null),u=e.isBusy||e.screen===null||l!==e.screen,m=Is(e.screen,u,e.onAct),f=k=>Ns(
{x:k.clientX,y:k.clientY},d.current.getBoundingClientRect(),o),p=k=>{if(u||e.screen===null||k.button)return;d.current?.setPointerCapture(k.pointerId);let $=f(k);
s(null),r({from:$,to:$,at:performance.now(),seen:e.screen})},g=k=>{a&&(r(null),m.act(Bs(a.from,f(k),performance.now()-a.at,o[0]),a.seen))},b=async k=>e.screen!==
null&&await m.act(k,e.screen),E=k=>{k.ctrlKey||k.metaKey||k.altKey||k.key==="Tab"||!op(k,{cross:i,typing:m,size:o,isBusy:u,setCross:s,onAct:b})||(k.preventDefault(),
k.stopPropagation())};return n("div",{class:"phone",onFocusOut:k=>!k.currentTarget.contains(k.relatedTarget)&&m.leave(),children:[n("div",{class:"shot-room phon\
e-room",children:n("div",{ref:d,class:`shot phone-screen${u?" phone-busy":""}`,style:{"--ratio":String(o[0]/o[1])},role:"application",tabIndex:0,"aria-label":"T\
he phone's screen. Arrow keys move a cross, Enter taps at it, Shift and Enter press long. Letters are typed.","aria-busy":u,onPointerDown:p,onPointerMove:k=>a&&
r({...a,to:f(k)}),onPointerUp:g,onPointerCancel:()=>r(null),onContextMenu:k=>k.preventDefault(),onKeyDown:E,children:[t?n("img",{class:"shot-picture",src:t,alt:"",
width:o[0],height:o[1],draggable:!1,onLoad:()=>c(e.screen)}):n("div",{class:"shot-missing",children:"Waiting for the phone's screen"}),n("svg",{class:"shot-mark\
s",viewBox:`0 0 ${o[0]} ${o[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:[a&&n(ap,{drag:a,unit:o[0]/100}),i&&n(rp,{at:i,unit:o[0]/100})]}),m.shown&&
n("p",{class:"phone-typed",children:[n(v,{name:"keyboard",size:14})," ",n("span",{class:"said",children:m.shown})]}),u&&t&&n("p",{class:"phone-wait",children:e.
isBusy?"The phone carries out the action\u2026":"The new screen is on its way\u2026"})]})}),n("div",{class:"phone-result",role:"status",children:[e.problem?n("p",
{class:"phone-problem",children:e.problem}):e.result&&n("p",{children:e.result}),m.note&&n("p",{children:m.note})]}),n(Fs,{size:o,isBusy:u,mayRefresh:!e.isBusy&&
e.screen!==null,onAct:b})]})}var np={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};function op(e,t){let[o,a]=t.size,r=np[e.key];if(r){let i=o*
(e.shiftKey?.005:.03),s=t.cross??{x:o/2,y:a/2},l=(c,d)=>Math.round(Math.min(d-1,Math.max(0,c)));return t.setCross({x:l(s.x+r[0]*i,o),y:l(s.y+r[1]*i,a)}),!0}if(e.
key==="Escape"){let i=t.typing.typed!==""||t.cross!==null;return t.typing.edit(""),t.setCross(null),i}return e.key==="Enter"?(t.isBusy||(t.typing.typed?t.typing.
send():t.cross?t.onAct(e.shiftKey?{name:"Long_Press",...t.cross,ms:800}:{name:"Tap",...t.cross}):t.onAct({name:"Enter"})),!0):e.key==="Backspace"?(t.typing.edit(
[...t.typing.typed].slice(0,-1).join("")),!0):[...e.key].length!==1?!1:(t.typing.edit(t.typing.typed+e.key),!0)}function ap({drag:e,unit:t}){let{from:o,to:a}=e,
r=Math.hypot(a.x-o.x,a.y-o.y)>2*t;return n("g",{class:"action action-person",children:[r&&n("path",{class:"action-case",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),r&&n(
"path",{class:"action-ring",d:`M${o.x} ${o.y}L${a.x} ${a.y}`}),n("circle",{class:"action-case",cx:o.x,cy:o.y,r:4*t}),n("circle",{class:"action-ring",cx:o.x,cy:o.
y,r:4*t}),!r&&n("circle",{class:"phone-hold",cx:o.x,cy:o.y,r:6.5*t,pathLength:100,style:{animationDuration:`${500}ms`}})]})}function rp({at:e,unit:t}){let o=`M${e.
x-6*t} ${e.y}h${12*t}M${e.x} ${e.y-6*t}v${12*t}`;return n("g",{class:"action action-person",children:[n("path",{class:"action-case",d:o}),n("path",{class:"actio\
n-ring",d:o})]})}function Yn(){return Array.from(crypto.getRandomValues(new Uint8Array(16)),e=>e.toString(16).padStart(2,"0")).join("")}var ip=3e3,ra=class{state=P(null);pending=P(null);problem=P(null);result=P(null);#t;#e;#n=!1;constructor(t){this.#t=`/episodes/${R(t)}`}open(){let t=Ee({onOpen:()=>{
this.#o()},onEvent:o=>{(o.kind.startsWith("episode.")||o.kind==="task.ended")&&this.#o()}});return this.#o(),()=>{t(),this.#n=!0,clearTimeout(this.#e)}}async ask(t){
if(this.pending.value!==null)return;this.pending.value=t,this.problem.value=null,this.result.value=null;let o=performance.now();try{this.state.value=await z("PO\
ST",`${this.#t}:${t}`),this.result.value=sp[t]((performance.now()-o)/1e3)}catch(a){this.problem.value=G(a),this.#o()}finally{this.pending.value=null}}async act(t,o){
if(this.pending.value!==null)return!1;this.pending.value="action",this.problem.value=null,this.result.value=null;try{let a={"Idempotency-Key":Yn()},r=await this.#a(
{method:"POST",headers:a,body:{screen:t,action:o}});if(this.state.value=r.control,r.status==="done")return!0;let i=r.detail||"Only the screen can tell what came\
 of it.";return this.problem.value={type:"about:blank",title:`${o.name}: ${r.status}`,status:200,detail:i,mistakes:[]},!1}catch(a){return this.problem.value=G(a),
this.#o(),!1}finally{this.pending.value=null}}async#a(t){try{return await(await ve(`${this.#t}/actions`,t)).json()}catch(o){if(G(o).status!==0&&G(o).status!==503)
throw o;return await(await ve(`${this.#t}/actions`,t)).json()}}async#o(){clearTimeout(this.#e);try{let t=await L(`${this.#t}/control`);this.pending.value===null&&
(this.state.value=t)}catch{}!this.#n&&this.state.value?.phase!=="ended"&&(clearTimeout(this.#e),this.#e=setTimeout(()=>{this.#o()},ip))}},sp={pause:()=>"Paused.\
 No further action is sent.",resume:()=>"It goes on.",stop:e=>`Stopped, after ${e.toFixed(1)} s. Nothing more is sent to the phone.`,"take-over":()=>"You have t\
he phone. Tap, swipe and type on the picture.","hand-back":()=>"Handed back. The agent goes on from this screen."};function Js(e){let t=q(()=>new ra(e),[e]);return S(
()=>t.open(),[t]),t}var lp=1e3,cp=3e3,dp=2,ia=class{report=P(null);problem=P(null);#t;#e=new AbortController;#n;#a=null;#o=!1;constructor(t){this.#t=t}open(){let t=Ee({onOpen:()=>this.#r(
0),onEvent:o=>{o.task!=null&&o.task===this.report.value?.episode.task&&this.#r(0)}});return document.addEventListener("visibilitychange",this.#i),this.#r(0),()=>{
t(),document.removeEventListener("visibilitychange",this.#i),clearTimeout(this.#n),this.#e.abort()}}reload=()=>this.#r(0);#i=()=>{document.hidden||this.#r(0)};#r(t){
this.#e.signal.aborted||(clearTimeout(this.#n),this.#n=setTimeout(()=>{this.#s()},t))}async#s(){if(this.#o)return;this.#o=!0;let t=lp;try{await this.#l(),this.problem.
value=null}catch(a){if(this.#e.signal.aborted||(this.problem.value=G(a),t=cp,this.problem.value.status===404&&this.report.value===null))return}finally{this.#o=!1}
!(this.report.value?.episode.ended_at!=null)&&!document.hidden&&this.#r(t)}async#l(){let t=this.report.value?.steps??[],o=t.at(-dp)?.step??0,a={};this.#a?.from===
o&&(a["If-None-Match"]=this.#a.value);let r={query:{from:o},headers:a,signal:this.#e.signal},i=await ve(`/episodes/${R(this.#t)}/report`,r);if(i.status===304)return;
let s=i.headers.get("ETag"),l=await i.json(),c=t.filter(u=>u.step<(l.first_step??0)),d={...this.report.value?.sizes,...l.sizes};this.report.value={...l,steps:[...c,
...l.steps??[]],sizes:d,first_step:0},this.#a=s===null?null:{from:o,value:s}}};function Ws(e){let t=q(()=>new ia(e),[e]);return S(()=>t.open(),[t]),t}var up=180;function Xs(e){let t=`/episodes/${R(e)}`;return{pictureUrl:(o,a)=>ke(`${t}/screens/${R(o)}`,a==="small"?{width:up}:{}),loadCalls:o=>Jt(Wt,()=>L(`${t}\
/steps/${o}/calls`)),reach:Wt}}var pp=1e3;function qs(e,t){let o=T(null);return S(()=>{if(o.value=null,!t)return;let a=new AbortController,r,i=async()=>{if(!document.hidden)try{let{calls:s}=await L(
`/episodes/${R(e)}/writing`,{},a.signal);o.value=s.at(-1)??null}catch{o.value=null}a.signal.aborted||(r=setTimeout(()=>{i()},pp))};return i(),()=>{a.abort(),clearTimeout(
r)}},[e,t,o]),o}function Ye(e){let t=T(!1),o=B(null);S(()=>{t.value&&o.current?.showModal()},[t.value]);let a={needs:e.needs,disabled:e.disabled??!1,onClick:()=>t.value=!0};return n(
h,{children:[n(X,{...a,...e.owner===void 0?{}:{owner:e.owner},...e.icon?{icon:e.icon}:{},...e.isIcon?{label:e.name,kind:"quiet"}:{},children:e.isIcon?void 0:e.name}),
t.value&&n("dialog",{ref:o,class:"confirm","aria-label":e.name,onClose:()=>t.value=!1,children:[n("p",{class:"said",children:e.question}),n("div",{class:"confir\
m-answers",children:[n(x,{autofocus:!0,onClick:()=>o.current?.close(),children:"Go back"}),n(x,{kind:"danger",onClick:()=>{o.current?.close(),e.onConfirm()},children:e.
yes})]})]})]})}var mp={pause:"Pausing\u2026",resume:"Going on\u2026",stop:"Stopping\u2026","take-over":"Waiting for the agent's action to end\u2026","hand-back":"Handing back\u2026"};
function Ds({control:e,owner:t}){let o=e.state.value;if(o===null||o.phase==="ended")return n(zs,{control:e});let a=t===void 0?"operate":"submit",r={needs:a,...t===
void 0?{}:{owner:t},disabled:e.pending.value!==null};return n("div",{class:"live-tools",children:[n("div",{class:"live-buttons",children:[o.phase==="running"&&n(
X,{...r,icon:"pause",onClick:()=>{e.ask("pause")},children:"Pause"}),o.phase==="paused"&&n(X,{...r,icon:"play",onClick:()=>{e.ask("resume")},children:"Let it go\
 on"}),(o.phase==="running"||o.phase==="paused")&&n(X,{...r,icon:"hand",onClick:()=>{e.ask("take-over")},children:"Take over"}),o.phase==="taken_over"&&n(X,{...r,
kind:"primary",icon:"play",onClick:()=>{e.ask("hand-back")},children:"Hand back"}),o.phase!=="stopping"&&n(Ye,{...r,name:"Stop",icon:"stop",question:"Stop this \
episode? Its task ends as cancelled.",yes:"Stop it",onConfirm:()=>{e.ask("stop")}})]}),le(a,t)!==null&&n(Pe,{needs:a,...t===void 0?{}:{owner:t},what:"Steering"}),
n("p",{class:"live-state quiet",children:[e.pending.value===null&&o.phase==="paused"&&n(h,{children:["Paused",o.by&&` by ${o.by}`,o.since!=null&&n(h,{children:[
" ","for ",n(Ve,{since:o.since})]})]}),e.pending.value===null&&o.phase==="taken_over"&&n(h,{children:["Taken over",o.by&&` by ${o.by}`]})]}),!(o.phase==="taken_\
over"&&o.by===me())&&n(zs,{control:e})]})}function zs({control:e}){let t=e.pending.value,o=e.problem.value;return n("p",{class:`live-result${o?" live-result-bad":
""}`,role:"status",children:t!==null?mp[t]??"":o?`${o.title}: ${o.detail}`:e.result.value})}var fp=120;function Hs({control:e}){let t=e.state.value;if(t===null)return null;let o=t.screen??null,a=`/episodes/${R(t.episode)}/screens/`,r=t.ends_at==null?null:
t.ends_at-xe.value;return n("div",{class:"taken",children:[r!==null&&r<fp&&n("p",{class:"taken-end quiet",children:["Without another action, the agent gets the \
phone back in ",Xo(r),"."]}),n(aa,{screen:o,picture:o===null?null:ke(a+R(o)),size:[t.width??1080,t.height??2400],isBusy:e.pending.value!==null,onAct:(i,s)=>e.act(
s,i),problem:e.problem.value&&`${e.problem.value.title}: ${e.problem.value.detail}`,result:e.result.value})]})}function Us({id:e}){let t=Ws(e),o=Js(e),a=q(()=>Xs(e),[e]),r=t.report.value,i=(r?.episode.task??e).split(".")[0]??"",s=ee({load:u=>i?L(`/batches/${R(i)}`,{},u):
Promise.resolve(null)},[i]),l=o.state.value,c=r!==null&&r.episode.ended_at==null,d=qs(e,c);return n("div",{class:"live-page",children:[n(vp,{batch:i,name:s.value.
value?.name??"",task:r?.episode.task??""}),t.problem.value&&n(C,{problem:t.problem.value}),r!==null&&n(na,{report:r,source:a,live:c?hp(e,d.value,l):void 0,surface:l?.
phase==="taken_over"&&l.by===me()?n(Hs,{control:o}):void 0,tools:n(Ds,{control:o,owner:s.value.value?.owner})})]})}function hp(e,t,o){vt.value;let a=He().find(s=>s.
episode===e),r=a?.stage_since??a?.step_since??Date.now()/1e3,i=(a?.stages??[]).map(s=>({stage:s,step:a?.step??0,since:r}));return{connection:wn.value==="lost"?"\
lost":"open",stages:i,writing:t,person:gp(o)}}function gp(e){if(e?.phase!=="taken_over")return null;let{by:t,since:o,ends_at:a}=e;return{name:t??"",isReader:t===
me(),since:o??null,endsAt:a??null}}function vp({batch:e,name:t,task:o}){let a=[{name:"Work",href:y.work()}];return e&&a.push({name:t||e,href:y.batch(e)}),o&&a.push(
{name:o,href:y.task(o)}),n(U,{crumbs:a,title:""})}var Vs=12;function js(e,t,o){let[a,r]=_({first:0,end:Math.min(t,40)});return ne(()=>{let i=0,s=()=>{i=0;let d=e.current?.getBoundingClientRect();if(!d)return;let u=Math.
max(0,Math.floor(-d.top/o)-Vs),m=Math.min(t,Math.ceil((innerHeight-d.top)/o)+Vs);r(f=>f.first===u&&f.end===m?f:{first:Math.min(u,t),end:Math.max(m,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,o]),{first:Math.min(
a.first,t),end:Math.min(Math.max(a.end,a.first),t)}}function Qn(e){let t=B(null),o=e.items.length,{first:a,end:r}=js(t,o,e.height),i=r>=o;return S(()=>{i&&e.onEnd?.()},[i,o]),n("div",{class:"rows panel",role:"tab\
le","aria-label":e.label,"aria-rowcount":o+1,children:[n("div",{class:"rows-head",role:"rowgroup",children:n("div",{class:"row",role:"row","aria-rowindex":1,children:e.
head})}),n("div",{ref:t,class:"rows-body",role:"rowgroup",style:{height:`${o*e.height}px`},children:e.items.slice(a,r).map((s,l)=>n("div",{class:"row",role:"row",
"aria-rowindex":a+l+2,style:{height:`${e.height}px`,transform:`translateY(${(a+l)*e.height}px)`},children:e.children(s,a+l)},e.keyOf(s)))})]})}function Y(e){return n(
"div",{class:`cell${e.kind?` cell-${e.kind}`:""}`,role:e.head?"columnheader":"cell",children:e.children})}var yp={"batch.accepted":"batch accepted","batch.paused":"batch paused","batch.resumed":"batch goes on","batch.priority":"batch got another priority","task.prio\
rity":"task got another priority","batch.cancelled":"batch cancelled","batch.ended":"batch ended","task.paused":"task paused","task.resumed":"task goes on","tas\
k.retried":"task submitted again","task.began":"task began","task.step":"task is at another step","task.ended":"task ended","task.failed":"task failed","phone.a\
way":"phone is away","phone.back":"phone is back","phone.aside":"phone set aside","phone.released":"phone released","model.away":"model is away","model.back":"m\
odel is back","schedule.fired":"schedule submitted","schedule.missed":"schedule missed a time"},bp=new Set(["task.failed","phone.away","model.away","schedule.mi\
ssed"]),xp=34;function Zn({events:e,label:t}){return n(Qn,{items:e,keyOf:o=>String(o.id),height:xp,label:t,head:n(h,{children:[n(Y,{head:!0,kind:"short",children:"\
Time"}),n(Y,{head:!0,kind:"what",children:"What"}),n(Y,{head:!0,kind:"of",children:"Of which"}),n(Y,{head:!0,kind:"why",children:"Why"})]}),children:o=>n(h,{children:[
n(Y,{kind:"short",children:n("time",{class:"faint",dateTime:new Date(o.at*1e3).toISOString(),title:te(o.at),children:yt(o.at)})}),n(Y,{kind:"what",children:n("s\
pan",{class:`clip event-what${bp.has(o.kind)?" event-bad":""}`,title:Ks(o),children:Ks(o)})}),n(Y,{kind:"of",children:n(wp,{event:o})}),n(Y,{kind:"why",children:n(
"span",{class:"clip event-why",title:Gs(o),children:Gs(o)})})]})})}function wp({event:e}){return e.task?n(sa,{href:y.task(e.task),words:e.task}):e.phone?n(sa,{href:y.
phone(e.phone),words:e.phone}):e.batch?n(sa,{href:y.batch(e.batch),words:e.batch}):n("span",{})}function sa({href:e,words:t}){return n("a",{class:"clip event-of\
 mono",href:e,title:t,children:t})}function Ks(e){return yp[e.kind]??e.kind}function Gs(e){let t=e.data??{},o=typeof t.ending=="string"?t.ending:"",a=t.is_done===
!1?je({ending:o,verified:t.verified}):zt(o),r=typeof t.reason=="string"?t.reason:"";return[a,r].filter(Boolean).join(": ")}var Sp=52;function eo(e){return n(Qn,{items:e.tasks,keyOf:t=>t.id,height:Sp,label:e.label,...e.onEnd?{onEnd:e.onEnd}:{},head:n(h,{children:[n(Y,{head:!0,kind:"s\
tate",children:"State"}),n(Y,{head:!0,kind:"wide",children:"Goal"}),n(Y,{head:!0,kind:"extra",children:"Now, or why"}),!e.isOfOnePhone&&n(Y,{head:!0,kind:"extra",
children:"Phone"}),n(Y,{head:!0,kind:"time",children:"Time"}),n(Y,{head:!0,kind:"actions",children:n("span",{class:"unseen",children:"Actions"})})]}),children:t=>n(
h,{children:[n(Y,{kind:"state",children:n(Ln,{task:t})}),n(Y,{kind:"wide",children:[n("a",{class:"task-goal clip",href:kp(t),title:t.goal,children:t.goal}),n("s\
pan",{class:"task-id mono clip",children:t.id})]}),n(Y,{kind:"extra",children:n("span",{class:"task-reason said",title:Ys(t),children:Ys(t)})}),!e.isOfOnePhone&&
n(Y,{kind:"extra",children:t.phone?n("a",{class:"clip task-phone mono",href:y.phone(t.phone),title:t.phone,children:t.phone}):n("span",{class:"faint",children:pe})}),
n(Y,{kind:"time",children:n(_p,{task:t})}),n(Y,{kind:"actions",children:n(Ep,{task:t,...e.owner===void 0?{}:{owner:e.owner},onChanged:e.onChanged})})]})})}function kp(e){
return e.episode?y.episode(e.episode):y.task(e.id)}function Ys(e){return e.phase==="running"?`step ${e.step??0}${e.doing?` \xB7 ${e.doing}`:""}`:e.phase!=="ende\
d"?"":e.is_done?e.answer??J(e.steps??0,"step"):e.reason??""}function _p({task:e}){return e.started_at==null?n("span",{class:"faint",children:pe}):e.phase==="run\
ning"?n(Ve,{since:e.started_at}):n(h,{children:F(e.ended_at==null?null:e.ended_at-e.started_at)})}function Ep(e){let{task:t}=e,o=D(async()=>(e.onChanged(await z(
"POST",`/tasks/${R(t.id)}:retry`)),"Submitted again."));return xt(t)?o.result.value?n("span",{class:"task-again",children:"again"}):n(X,{needs:"submit",...e.owner===
void 0?{}:{owner:e.owner},kind:o.problem.value?"danger":"quiet",icon:"retry",label:o.problem.value?`Retry: ${o.problem.value.detail}`:`Retry ${t.id}`,disabled:o.
isRunning.value,onClick:()=>{o.run()}}):null}var Pp=[["half an hour",.5],["2 hours",2],["8 hours",8],["a day",24]];function Qs({phone:e}){let t=T(""),o=D(async(i,s)=>{fr(await z("POST",`/phones/${R(e.serial)}\
:${i}`,s)),t.value=""}),a=e.phase==="aside"||e.phase==="reserved"||e.reserved_for!=null,r={needs:"operate",disabled:o.isRunning.value};return n("div",{class:"ha\
ndset-actions",children:[n("div",{class:"handset-buttons",children:[a&&n(X,{...r,kind:"primary",icon:"play",onClick:()=>{o.run("release")},children:"Release"}),
e.phase!=="aside"&&n(X,{...r,icon:"pause","aria-expanded":t.value==="aside",onClick:()=>t.value=t.value==="aside"?"":"aside",children:"Set aside"}),n(X,{...r,icon:"\
clock","aria-expanded":t.value==="reserve",onClick:()=>t.value=t.value==="reserve"?"":"reserve",children:"Reserve"})]}),t.value==="aside"&&n("form",{class:"hand\
set-form panel",onSubmit:i=>{i.preventDefault(),o.run("aside",{reason:la(i,"reason")})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelle\
d-name",children:"Why"}),n("input",{class:"input",name:"reason",required:!0,maxLength:500,autofocus:!0,placeholder:"The screen is cracked"})]}),n("p",{class:"la\
belled-help",children:"It gets no task until it is released. Its present task goes on to its end."}),n(x,{type:"submit",kind:"primary",disabled:o.isRunning.value,
children:"Set it aside"})]}),t.value==="reserve"&&n("form",{class:"handset-form panel",onSubmit:i=>{i.preventDefault();let s=Date.now()/1e3+Number(la(i,"hours"))*
3600;o.run("reserve",{owner:la(i,"owner"),until:s})},children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"For whose tasks"}),
n("input",{class:"input",name:"owner",required:!0,defaultValue:me(),autofocus:!0})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
For how long"}),n("select",{class:"input",name:"hours",children:Pp.map(([i,s])=>n("option",{value:s,selected:s===2,children:i},s))})]}),n(x,{type:"submit",kind:"\
primary",disabled:o.isRunning.value,children:"Reserve it"})]}),o.problem.value&&n(C,{problem:o.problem.value})]})}function la(e,t){return String(new FormData(e.
currentTarget).get(t)??"").trim()}var Tp={"task.began":"busy","task.ended":"free","phone.away":"away","phone.back":"free","phone.aside":"aside","phone.released":"free"},ca={busy:"at work",free:"\
free",away:"away",aside:"set aside"};function Cp(e,t){let o=[],a=null;for(let r of[...e].reverse()){let i=Tp[r.kind];i!==void 0&&(a!==null&&r.at>a.from&&o.push(
{...a,to:r.at}),a={condition:i,from:r.at})}return a!==null&&t>a.from&&o.push({...a,to:t}),o}function Zs({events:e}){let t=Math.ceil(xe.value/30)*30,o=Cp(e,t),a=o[0]?.
from??t,r=Math.max(1,t-a),i={free:0,busy:0,away:0,aside:0};for(let c of o)i[c.condition]+=c.to-c.from;let s=e.filter(c=>c.kind==="task.ended").length,l=e.filter(
c=>c.kind==="task.failed").length;return n("div",{class:"handset-health panel",children:[n("svg",{class:"handset-strip",viewBox:`0 0 ${r} 1`,preserveAspectRatio:"\
none",role:"img","aria-label":Mp(i,r),children:o.map(c=>n("rect",{class:`strip-${c.condition}`,x:c.from-a,width:Math.max(c.to-c.from,r/800),height:"1",children:n(
"title",{children:`${ca[c.condition]}: ${te(c.from)}, ${it(c.to-c.from)}`})},c.from))}),n("p",{class:"handset-strip-ends quiet",children:[n("span",{children:te(
a)}),n("span",{children:"now"})]}),n(Te,{facts:[...Object.keys(i).map(c=>[ca[c],n("span",{class:"handset-key",children:[n("span",{class:`key key-${c}`})," ",we(
i[c]/r)]},c)]),["Tasks",w(s)],["Failed",`${w(l)} (${we(s===0?0:l/s)})`]]})]})}function Mp(e,t){return Object.keys(e).map(o=>`${ca[o]} ${we(e[o]/t)}`).join(", ")}var el=[{name:"Fleet",href:y.fleet()}];function nl({serial:e}){vt.value;let t=Tn(e)?.value;return t===void 0?n(h,{children:[n(U,{title:e,crumbs:el}),Pn.value&&n(
I,{icon:"phone",title:"The fleet has no such phone",children:["It was detached, or its address has changed. An operator attaches a phone with ",n("code",{children:"\
manyhands attach"}),"."]})]}):n(h,{children:[n(U,{crumbs:el,title:e,about:n("span",{class:"handset-about",children:[n("span",{class:`dot dot-${t.phase}`})," ",Ie[t.
phase],t.labels?.model&&n("span",{class:"said",children:t.labels.model})]}),actions:n(Qs,{phone:t})}),t.reason&&n(re,{tone:t.phase==="away"||t.phase==="aside"?"\
warn":"quiet",children:n("p",{class:"said",children:[Ie[t.phase],": ",t.reason,t.reserved_until!=null&&` until ${te(t.reserved_until)}`]})}),n("div",{class:"han\
dset-page",children:[n(Rp,{phone:t}),n("div",{class:"handset-detail",children:[n(Ap,{phone:t}),n(Lp,{phone:t}),n($p,{serial:e})]})]})]})}function Rp({phone:e}){
let t=T(null),a=(e.episode&&e.screen&&t.value!==e.screen?ke(`/episodes/${R(e.episode)}/screens/${e.screen}`,{width:540}):null)??(e.thumbnail?`data:image/jpeg;ba\
se64,${e.thumbnail}`:null);return n("div",{class:"handset-screen panel",children:a?n("img",{src:a,alt:`The screen of ${e.serial}`,onError:()=>t.value=e.screen??
null}):n("span",{class:"faint",children:[n(v,{name:"phone",size:28}),"No screen yet"]})})}function Ap({phone:e}){return e.task?n("section",{class:"handset-now p\
anel","aria-label":"What it does now",children:[n("p",{class:"handset-goal said",children:e.goal||e.task}),n("p",{class:"quiet said",children:e.subgoal||e.doing}),
n("p",{class:"handset-line",children:n($n,{stages:e.stages??[],since:e.stage_since??null})}),n("p",{class:"handset-line quiet",children:[e.step!=null&&n("span",
{children:["step ",e.step]}),e.step_since!=null&&n("span",{children:["for ",n(Ve,{since:e.step_since})]}),e.owner&&n("span",{class:"said",children:["asked by ",
e.owner]}),e.taken_over_by&&n("strong",{class:"said",children:["taken over by ",e.taken_over_by]})]}),n("p",{class:"handset-line",children:[e.episode&&n("a",{class:"\
button button-primary",href:y.episode(e.episode),children:[n(v,{name:"play"})," Watch it live"]}),e.batch&&n("a",{class:"button",href:y.batch(e.batch),children:[
"Batch ",e.batch]})]})]}):null}function Lp({phone:e}){let t=Object.entries(e.labels??{}),o=t.filter(([r])=>!r.startsWith("app:")&&r!=="serial"&&r!=="model"),a=t.
filter(([r])=>r.startsWith("app:"));return n(h,{children:[n(Te,{facts:[["Battery",e.battery==null?null:`${Math.round(e.battery)}\xA0%`],["Warmth",e.celsius==null?
null:`${ye(e.celsius)}\xA0\xB0C`],["Failures in a row",e.failures?w(e.failures):null],...o.map(([r,i])=>[r,n("span",{class:"said",children:i},r)])]}),a.length>0&&
n("details",{class:"handset-apps",children:[n("summary",{children:J(a.length,"app")}),n("p",{class:"said mono",children:a.map(([r,i])=>`${r.slice(4)} ${i}`).join(
`
`)})]})]})}var tl=[{value:"tasks",name:"Last tasks"},{value:"log",name:"Log"},{value:"health",name:"Health"}];function $p({serial:e}){let t=tl.find(o=>o.value===
M("tab"))?.value??"tasks";return n("section",{class:"handset-history","aria-label":"History",children:[n(St,{label:"History",value:t,choices:tl,onChoose:o=>O({tab:o===
"tasks"?"":o})}),t==="tasks"?n(Bp,{serial:e}):n(Np,{serial:e,tab:t})]})}function Bp({serial:e}){let t=ee({load:a=>L(`/phones/${R(e)}/tasks`,{limit:100},a),isChangedBy:a=>a.
phone===e&&a.kind!=="task.step"},[e]),o=t.value.value?.items;return n(h,{children:[t.problem.value&&n(C,{problem:t.problem.value}),o?.length===0&&n(I,{icon:"lis\
t",title:"It has had no task yet",children:["As soon as it gets one, the task appears here. ",n("a",{href:y.submit(),children:"Submit a batch"})]}),o&&o.length>
0&&n(eo,{tasks:o,label:`Tasks of ${e}`,isOfOnePhone:!0,onChanged:t.reload})]})}function Np({serial:e,tab:t}){let o=ee({load:r=>L(`/phones/${R(e)}/log`,{limit:500},
r),isChangedBy:r=>r.phone===e&&r.kind!=="task.step"},[e]),a=o.value.value?.items;return n(h,{children:[o.problem.value&&n(C,{problem:o.problem.value}),a?.length===
0&&n(I,{icon:"clock",title:"Nothing has happened to it yet",children:"Its tasks, and when it went away or was set aside, appear here."}),a&&a.length>0&&(t==="lo\
g"?n(Zn,{events:a,label:`Log of ${e}`}):n(Zs,{events:a}))]})}var ol=["done","failed","cancelled","running"];function to({counts:e}){let t=Math.max(1,e.tasks-(e.retried??0));return n("span",{class:"progress",role:"img","ar\
ia-label":tn(e),children:ol.map(o=>{let a=e[o]??0;return a===0?null:n("span",{class:`progress-part progress-${o}`,style:{width:`${100*a/t}%`}},o)})})}function tn(e){
let t=ol.filter(o=>(e[o]??0)>0).map(o=>`${w(e[o]??0)} ${o}`);return e.waiting>0&&t.push(`${w(e.waiting)} waiting`),t.join(", ")||"no tasks"}function no(e,t){return D(async o=>{let a=`/batches/${R(e.id)}:${o}`;if(o==="retry"){let r=await z("POST",a);return`${J(r.length,"task")} submitted again.`}t(await z(
"POST",a))})}function oo(e){let{batch:t,action:o,areIcons:a}=e,r={needs:"submit",owner:t.owner,disabled:o.isRunning.value},i=t.phase==="open"||t.phase==="paused",
s=l=>a?{label:l,kind:"quiet"}:{children:l};return n(h,{children:[t.phase==="open"&&n(X,{...r,icon:"pause",onClick:()=>{o.run("pause")},...s("Pause")}),t.phase===
"paused"&&n(X,{...r,icon:"play",onClick:()=>{o.run("resume")},...s("Let it go on")}),t.failed>0&&n(X,{...r,icon:"retry",onClick:()=>{o.run("retry")},...s("Retry\
 what failed")}),i&&n(Ye,{...r,name:"Cancel",icon:"stop",isIcon:a,question:`Cancel ${J(t.waiting+t.running,"task")} of ${t.name||t.id}? Running tasks end as soo\
n as they can.`,yes:"Cancel the batch",onConfirm:()=>{o.run("cancel")}})]})}function da(e){return[...e].sort((t,o)=>o.priority-t.priority||t.submitted_at-o.submitted_at)}function al(e,t,o){let a=e.findIndex(d=>d.id===t),r=e[a],i=e[o];if(r===
void 0||i===void 0||a===o)return null;let s=i.submitted_at<=r.submitted_at,l=o<a?i.priority+(s?1:0):i.priority-(s?0:1),c=Math.min(100,Math.max(-100,l));return c===
r.priority?null:c}function rl(e,t){if(e.phase!=="open")return null;let o=e.waiting+e.running,a=e.tasks-o;return a<1||o===0?null:o*Math.max(1,t-e.submitted_at)/a}function ao(e){let{batch:t}=e,o=no(t,e.put),a=t.tasks-t.waiting-t.running;return n("li",{...e.target,class:`batch${e.target?.class?` ${e.target.class}`:""}`,children:[
n("div",{class:"batch-main",children:[e.before,n("div",{class:"batch-name",children:[n("a",{class:"batch-link clip",href:y.batch(t.id),children:t.name||t.id}),n(
"span",{class:"batch-about clip",children:[t.name&&n("span",{class:"mono",children:[t.id," "]}),"by ",t.owner," \xB7 ",t.priority!==0&&!e.priority&&`priority ${w(
t.priority)} \xB7 `,n(_e,{at:t.submitted_at}),t.tags.map(r=>n("a",{class:"tag",href:y.work({tag:r}),children:r},r))]})]}),n("div",{class:"batch-progress",children:[
n(to,{counts:t}),n("span",{class:"batch-counts",children:[n("span",{class:"clip",children:tn(t)}),n("span",{class:"num",children:[w(a),"/",w(t.tasks)]})]})]}),n(
"div",{class:"batch-state",children:[n(An,{phase:t.phase,failed:t.failed}),n(ua,{batch:t})]}),e.priority,n("div",{class:"batch-actions",children:n(oo,{batch:t,action:o,
areIcons:!0})})]}),t.deadline_warning&&n("p",{class:"batch-warning",children:[n(v,{name:"warning",size:14})," ",n("span",{class:"said",children:t.deadline_warning})]}),
o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n("p",{class:"batch-result",role:"status",children:o.result.value})]})}function ua({batch:e}){let t=ot(
()=>{let a=rl(e,xe.value);return a===null?"":`about ${it(a)} left`}),o=e.deadline!=null&&e.phase==="open"&&e.deadline<xe.value;return n("span",{class:"batch-lef\
t quiet",children:o?n(W,{tone:"bad",children:"past its deadline"}):t})}function il({batches:e,put:t}){let o=T(null),a=T(null),r=D(async(c,d)=>(t(await z("POST",`/batches/${R(c)}:priority`,{priority:d})),`${c} has the priority ${d} \
now.`)),i=async(c,d)=>{let u=al(e,c,d);u!==null&&await r.run(c,u)},s=async(c,d,u)=>{if(c.key!=="ArrowUp"&&c.key!=="ArrowDown")return;c.preventDefault();let m=c.
currentTarget;await i(d,u+(c.key==="ArrowUp"?-1:1)),requestAnimationFrame(()=>m.isConnected&&m.focus())},l=(c,d)=>{c.preventDefault(),o.value!==null&&i(o.value,
d),o.value=null,a.value=null};return n("section",{class:"batch-section","aria-labelledby":"queue-title",children:[n("h2",{id:"queue-title",children:"Queue"}),e.
length===0&&n("p",{class:"quiet",children:"Nothing waits. What is submitted starts at once."}),r.problem.value&&n(C,{problem:r.problem.value}),n("p",{class:"uns\
een",role:"status",children:r.result.value}),n("ol",{class:"batch-list panel",children:e.map((c,d)=>{let u=le("submit",c.owner),m=f=>{r.run(c.id,Math.min(100,Math.
max(-100,f)))};return n(ao,{batch:c,put:t,target:{class:`batch-queued${a.value===d&&o.value!==c.id?" queue-over":""}`,onDragOver:f=>{o.value!==null&&(f.preventDefault(),
a.value=d)},onDrop:f=>l(f,d)},before:n("button",{type:"button",class:"queue-handle",draggable:u===null,disabled:u!==null,title:u??"Drag to another place, or pre\
ss the arrow keys","aria-label":`Move ${c.name||c.id}: place ${d+1} of ${e.length}`,onDragStart:()=>o.value=c.id,onDragEnd:()=>{o.value=null,a.value=null},onKeyDown:f=>{
s(f,c.id,d)},children:n(v,{name:"menu",size:14})}),priority:n("div",{class:"queue-priority",role:"group","aria-label":`Priority of ${c.name||c.id}`,children:[n(
x,{kind:"quiet",icon:"minus",label:"Lower priority",disabled:u!==null,onClick:()=>m(c.priority-1)}),n("span",{class:"num",title:"Priority: higher ones run first",
children:w(c.priority)}),n(x,{kind:"quiet",icon:"plus",label:"Higher priority",disabled:u!==null,onClick:()=>m(c.priority+1)})]})},c.id)})})]})}function nn(e){return n(h,{children:[n(U,{title:"Work",about:e.about,actions:e.actions??(le("submit")===null?n("a",{class:"button button-primary",href:y.submit(),
children:[n(v,{name:"plus"})," Submit a batch"]}):n(Pe,{needs:"submit",what:"Submitting"}))}),n("nav",{class:"work-tabs","aria-label":"Work",children:[n("a",{class:"\
work-tab",href:y.work(),"aria-current":e.tab==="batches"?"page":void 0,children:"Batches"}),n("a",{class:"work-tab",href:y.schedules(),"aria-current":e.tab==="s\
chedules"?"page":void 0,children:"Schedules"})]})]})}var pa=50,Ip=e=>e.batch!=null&&e.kind!=="task.step";async function Jp(e){let t=(l,c)=>L("/batches",{phase:l,limit:c,tag:M("tag"),owner:M("owner")},e),[o,a,r,i]=await Promise.
all([t("open",1e3),t("paused",1e3),t("ended",pa),t("cancelled",pa)]),s=[...r.items,...i.items].sort((l,c)=>c.submitted_at-l.submitted_at);return{queue:da([...o.
items,...a.items]),ended:s,cursor:r.next_cursor??null}}function ll(){let e=ee({load:Jp,isChangedBy:Ip},[M("tag"),M("owner")]),t=T([]),o=T(void 0),a=e.value.value,
r=o.value===void 0?a?.cursor??null:o.value,i=D(async()=>{let f=await L("/batches",{phase:"ended",limit:pa,cursor:r});t.value=[...t.value,...f.items],o.value=f.next_cursor??
null}),s=M("q"),l=f=>{if(a===null)return;let p=g=>g.id===f.id?f:g;e.put({...a,queue:da(a.queue.map(p)),ended:a.ended.map(p)}),e.reload()};if(a===null)return n(h,
{children:[n(nn,{tab:"batches"}),e.problem.value&&n(C,{problem:e.problem.value})]});let c=new Set(a.ended.map(f=>f.id)),d=sl(a.queue,s),u=sl([...a.ended,...t.value.
filter(f=>!c.has(f.id))],s),m=a.queue.length===0&&a.ended.length===0&&!M("tag")&&!M("owner");return n(h,{children:[n(nn,{tab:"batches",about:n(Wp,{queue:a.queue})}),
e.problem.value&&n(C,{problem:e.problem.value}),m?n(I,{icon:"layers",title:"No batch yet",action:n(Ke,{text:'manyhands submit --goal "Turn on dark mode." --name\
 try'}),children:["A batch is a list of goals in plain language. ",n("a",{href:y.submit(),children:"Submit one here"}),", or from a terminal:"]}):n(h,{children:[
n("div",{class:"toolbar",children:[n(wt,{value:s,label:"Search batches",placeholder:"Name, id, owner, tag",onInput:f=>O({q:f})}),(M("tag")||M("owner"))&&n(x,{icon:"\
cross",onClick:()=>O({tag:"",owner:""}),children:M("tag")?`tag ${M("tag")}`:`of ${M("owner")}`})]}),n(il,{batches:d,put:l}),n("section",{class:"batch-section","\
aria-labelledby":"ended-title",children:[n("h2",{id:"ended-title",children:"Ended"}),u.length===0&&n("p",{class:"quiet",children:"No batch has ended yet."}),n("\
ul",{class:"batch-list panel",children:u.map(f=>n(ao,{batch:f,put:l},f.id))}),r!==null&&s===""&&n(x,{onClick:()=>{i.run()},disabled:i.isRunning.value,children:"\
Show older ones"}),i.problem.value&&n(C,{problem:i.problem.value})]})]})]})}function Wp({queue:e}){let t=e.reduce((a,r)=>a+r.waiting,0),o=e.reduce((a,r)=>a+r.running,
0);return n(h,{children:[J(e.length,"open batch","open batches")," \xB7 ",J(o,"task")," running \xB7 ",w(t)," waiting"]})}function sl(e,t){let o=t.trim().toLowerCase();
return o===""?e:e.filter(a=>[a.id,a.name,a.owner,...a.tags].join(`
`).toLowerCase().includes(o))}var cl=1e3;function dl({batch:e}){let t=M("events")==="1";return n("section",{class:"event-section",children:[n(x,{icon:t?"up":"down",kind:"quiet","aria-expande\
d":t,onClick:()=>O({events:t?"":"1"}),children:"What happened"}),t&&n(Xp,{batch:e})]})}function Xp({batch:e}){let t=T([]);return S(()=>{let o=[],a=0,r=new De({path:"\
/events",query:()=>({batch:e,after:0}),onEvent:({data:i})=>{let s=JSON.parse(i);s.kind!=="task.step"&&(o.unshift(s),o.length>cl&&(o=o.slice(0,cl)),a||=requestAnimationFrame(
()=>{a=0,t.value=[...o]}))}});return()=>{r.close(),cancelAnimationFrame(a)}},[e]),n(Zn,{events:t.value,label:`Events of ${e}`})}var ma=500,qp=1e3,fa={"":{query:{},holds:()=>!0},waiting:{query:{phase:"waiting"},holds:e=>e.phase==="waiting"},paused:{query:{phase:"paused"},holds:e=>e.phase===
"paused"},running:{query:{phase:"running"},holds:e=>e.phase==="running"},done:{query:{is_done:!0},holds:e=>e.is_done===!0},failed:{query:{is_done:!1},holds:xt},
cancelled:{query:{ending:"cancelled"},holds:e=>e.ending==="cancelled"}},ha=class{tasks=P([]);problem=P(null);isLoaded=P(!1);#t;#e;#n=null;#a=!1;#o;#i=new AbortController;constructor(t,o){
this.#t=t,this.#e=o in fa?o:""}open(){let t=Ee({onEvent:o=>this.#l(o),onOpen:()=>this.reload()});return this.#s(null,ma),()=>{t(),clearTimeout(this.#o),this.#i.
abort()}}more=()=>{this.#n!==null&&this.#s(this.#n,ma)};reload=()=>{this.#o??=setTimeout(()=>{this.#o=void 0,this.#s(null,Math.min(1e3,Math.max(ma,this.tasks.value.
length)))},qp)};put=t=>{this.tasks.value=this.tasks.value.map(o=>o.id===t.id?t:o).filter(this.#r)};get#r(){return fa[this.#e].holds}async#s(t,o){if(!this.#a){this.#a=
!0;try{let a={...this.#t,...fa[this.#e].query,cursor:t,limit:o},r=await L("/tasks",a,this.#i.signal),i=r.items.filter(this.#r);if(t!==null)this.tasks.value=[...this.
tasks.value,...i],this.#n=r.next_cursor??null;else{let s=this.tasks.value.slice(i.length),l=r.next_cursor==null,c=new Set(i.map(d=>d.id));this.tasks.value=l?i:[
...i,...s.filter(d=>!c.has(d.id))],(l||s.length===0)&&(this.#n=r.next_cursor??null)}this.isLoaded.value=!0,this.problem.value=null}catch(a){this.#i.signal.aborted||
(this.problem.value=G(a))}finally{this.#a=!1}}}#l(t){if(t.task==null||this.#t.batch&&t.batch!==this.#t.batch)return;let o=this.tasks.value.findIndex(s=>s.id===t.
task);if(o<0){t.kind!=="task.step"&&this.reload();return}let r={"task.paused":"paused","task.resumed":"waiting"}[t.kind],i=[...this.tasks.value];i[o]={...i[o],...t.
data,...r?{phase:r}:{}},this.tasks.value=i.filter(this.#r)}};function ul(e,t){let o=q(()=>new ha(e,t),[JSON.stringify(e),t]);return S(()=>o.open(),[o]),o}var zp=["csv","json","jsonl","junit","html"];function pl({id:e}){let t=ee({load:a=>L(`/batches/${R(e)}`,{},a),isChangedBy:a=>a.batch===e&&a.kind!=="task.step"},
[e]),o=t.value.value;return o===null?n(h,{children:[n(U,{title:e,crumbs:[{name:"Work",href:y.work()}]}),t.problem.value&&n(C,{problem:t.problem.value})]}):n(h,{
children:[t.problem.value&&n(C,{problem:t.problem.value}),n(Dp,{batch:o,put:t.put})]})}function Dp({batch:e,put:t}){let o=no(e,t);return n(h,{children:[n(U,{crumbs:[
{name:"Work",href:y.work()}],title:e.name||e.id,about:n(h,{children:[n(An,{phase:e.phase,failed:e.failed})," ",n("span",{class:"mono",children:e.id})," of ",e.owner]}),
actions:n(oo,{batch:e,action:o,areIcons:!1})}),o.problem.value&&n(C,{problem:o.problem.value}),o.result.value&&n(re,{children:o.result.value}),e.deadline_warning&&
n(re,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})}),n("div",{class:"batch-large-progress panel",children:[n("div",{class:"batch-large\
-words",children:[n("span",{children:tn(e)}),n(ua,{batch:e})]}),n(to,{counts:e})]}),n(Te,{facts:[["Submitted",te(e.submitted_at)],["Ended",e.ended_at==null?null:
te(e.ended_at)],["Deadline",e.deadline==null?null:te(e.deadline)],["Priority",w(e.priority)],["Phones",e.phones?n("span",{class:"said mono",children:e.phones}):
"all"],["Tags",e.tags.length>0&&e.tags.map(a=>n("a",{class:"tag",href:y.work({tag:a}),children:a},a))],["Schedule",e.schedule&&n("a",{href:y.schedules(),children:e.
schedule})],["Results",n(Hp,{batch:e.id},"results")]]}),n(Up,{batch:e}),n(dl,{batch:e.id})]})}function Hp({batch:e}){return n("span",{class:"downloads",children:zp.
map(t=>n("a",{href:ke(`/batches/${R(e)}/results`,{format:t}),download:`${e}.${t}`,children:t},t))})}function Up({batch:e}){let t=M("state"),o=M("q").trim().toLowerCase(),
a=ul({batch:e.id},t),r=o?a.tasks.value.filter(i=>`${i.id}
${i.goal}
${i.phone}
${i.reason}`.toLowerCase().includes(o)):a.tasks.value;return n(h,{children:[n("div",{class:"toolbar",children:[n(wt,{value:M("q"),label:"Search tasks",placeholder:"\
Id, goal, phone, reason",onInput:i=>O({q:i})}),n(Bn,{label:"States",chosen:t,all:e.tasks,choices:[{value:"running",name:"Running",count:e.running},{value:"waiti\
ng",name:"Waiting",count:e.phase==="paused"?null:e.waiting},{value:"done",name:"Done",count:e.done},{value:"failed",name:"Failed",count:e.failed},{value:"cancel\
led",name:"Cancelled",count:e.cancelled??0}],onChoose:i=>O({state:i})})]}),a.problem.value&&n(C,{problem:a.problem.value}),a.isLoaded.value&&r.length===0?n(I,{icon:"\
list",title:"No task is in this state now",children:n("button",{type:"button",class:"link-button",onClick:()=>O({state:"",q:""}),children:["Show all ",w(e.tasks)]})}):
n(eo,{tasks:r,label:`Tasks of ${e.id}`,owner:e.owner,onChanged:a.reload,onEnd:a.more})]})}var Vp=[["none",null],["in 1 hour",1],["in 2 hours",2],["in 8 hours",8],["in a day",24],["in a week",168]];function ro(e){let{fields:t}=e,o=a=>e.onChange({...t,
...a});return n(h,{children:[n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Name"}),n("input",{class:"input",maxLength:200,value:t.
name,placeholder:"nightly regression",onInput:a=>o({name:a.currentTarget.value})})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Phones"}),n("input",{class:"input mono",maxLength:500,value:t.phones,placeholder:"model=Pixel 8, android>=13",spellcheck:!1,onInput:a=>o({phones:a.currentTarget.
value})}),n("span",{class:"labelled-help",children:"A selector by labels. Empty: all phones."})]}),n("div",{class:"field-pair",children:[n("label",{class:"label\
led",children:[n("span",{class:"labelled-name",children:"Priority"}),n("input",{class:"input",type:"number",min:-100,max:100,step:1,value:t.priority,onInput:a=>o(
{priority:Math.round(a.currentTarget.valueAsNumber)||0})})]}),e.hasDeadline!==!1&&n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"\
Deadline"}),n("select",{class:"input",value:String(t.hours),onChange:a=>o({hours:a.currentTarget.value==="null"?null:Number(a.currentTarget.value)}),children:Vp.
map(([a,r])=>n("option",{value:String(r),children:a},a))})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Tags"}),n("inpu\
t",{class:"input",defaultValue:t.tags.join(", "),placeholder:"nightly, release-4.2",onInput:a=>o({tags:a.currentTarget.value.split(",").map(r=>r.trim()).filter(
Boolean)})}),n("span",{class:"labelled-help",children:"Words, with commas between them."})]})]})}function io(e){let t=B(null),o=B(null),a=Math.max(e.value.split(`
`).length,12),r=new Map;for(let{line:s,text:l}of e.mistakes)s!==null&&r.set(s,[...r.get(s)??[],l]);S(()=>{o.current&&t.current&&(o.current.scrollTop=t.current.scrollTop)});
let i=s=>{let l=t.current;if(l===null)return;let c=e.value.split(`
`),d=c.slice(0,s-1).reduce((u,m)=>u+m.length+1,0);l.focus(),l.setSelectionRange(d,d+(c[s-1]?.length??0)),l.scrollTop=Math.max(0,(s-4)*jp)};return n("div",{class:"\
editor",children:[n("div",{class:"editor-frame",children:[n("div",{ref:o,class:"editor-gutter","aria-hidden":"true",children:Array.from({length:a},(s,l)=>n("spa\
n",{class:r.has(l+1)?"editor-wrong":"",title:r.get(l+1)?.join(`
`),children:l+1},l))}),n("textarea",{ref:t,class:"editor-text mono","aria-label":e.label,"aria-invalid":e.mistakes.length>0,"aria-describedby":"editor-mistakes",
placeholder:e.placeholder,value:e.value,rows:Math.min(a,24),wrap:"off",spellcheck:!1,onInput:s=>e.onInput(s.currentTarget.value),onScroll:s=>{o.current&&(o.current.
scrollTop=s.currentTarget.scrollTop)}})]}),n("ul",{id:"editor-mistakes",class:"editor-mistakes","aria-live":"polite",children:e.mistakes.map(({line:s,text:l})=>n(
"li",{class:"editor-mistake",children:[n(v,{name:"warning",size:14}),s!==null&&n("button",{type:"button",class:"link-button",onClick:()=>i(s),children:["line ",
s]}),n("span",{class:"said",children:l})]},`${s} ${l}`))})]})}var jp=20;var so={name:"",priority:0,tags:[],hours:null,phones:""};function on(e){return e.split(`
`).map(t=>t.trim()).filter(t=>t!==""&&!t.startsWith("#"))}function lo(e){return e.kind==="goals"?on(e.text).length===0:e.text.trim()===""}function ga(e){return e.
map((t,o)=>({id:`goal-${o+1}`,goal:t}))}async function ml(e,t){return await(await ve(vl("/batches:check",e),{...gl(e),method:"POST",signal:t})).json()}async function fl(e,t){
let o=gl(e),a={"Idempotency-Key":t};return await(await ve(vl("/batches",e),{...o,method:"POST",headers:a})).json()}function hl(e){return e.hours===null?null:Math.
round(Date.now()/1e3+e.hours*3600)}function gl(e){if(e.kind==="yaml")return{text:{content:e.text,type:"application/yaml"}};let{name:t,priority:o,tags:a,phones:r}=e.
fields,i=hl(e.fields);return{body:{tasks:ga(on(e.text)),name:t,priority:o,tags:a,phones:r,...i===null?{}:{deadline:i}}}}function vl(e,t){if(t.kind!=="yaml")return e;
let{name:o,priority:a,tags:r,phones:i}=t.fields,s=new URLSearchParams;o&&s.set("name",o),a!==0&&s.set("priority",String(a));for(let d of r)s.append("tag",d);i&&
s.set("phones",i);let l=hl(t.fields);l!==null&&s.set("deadline",String(l));let c=s.toString();return c?`${e}?${c}`:e}var Kp=[["every night at 2:00","0 2 * * *"],["on weekdays at 7:30","30 7 * * MON-FRI"],["every quarter of an hour","every 15m"],["every 6 hours","every 6h"]];function yl(){
let e=T(""),t=T(so),o=T("0 2 * * *"),a=T(Intl.DateTimeFormat().resolvedOptions().timeZone||"UTC"),r=T("skip"),i=T("once"),s=D(async()=>{let{name:c,priority:d,tags:u,
phones:m}=t.value;await z("POST","/schedules",{name:c,when:o.value,zone:a.value,overlap:r.value,missed:i.value,batch:{tasks:ga(on(e.value)),name:c,priority:d,tags:u,
phones:m}}),ue(["work","schedules"])}),l=on(e.value).length>0&&t.value.name.trim()!==""&&le("submit")===null;return n(h,{children:[n(U,{crumbs:[{name:"Work",href:y.
work()},{name:"Schedules",href:y.schedules()}],title:"Make a schedule"}),n(Pe,{needs:"submit",what:"Making schedules"}),n("form",{class:"submit-form",onSubmit:c=>{
c.preventDefault(),l&&s.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"field-pair",children:[n("label",{class:"labelled",children:[n("s\
pan",{class:"labelled-name",children:"When"}),n("input",{class:"input mono",value:o.value,required:!0,onInput:c=>o.value=c.currentTarget.value}),n("span",{class:"\
labelled-help",children:["An interval, such as ",n("code",{children:"every 15m"}),", or a cron line: minute hour day month weekday."]})]}),n("label",{class:"lab\
elled",children:[n("span",{class:"labelled-name",children:"Time zone"}),n("input",{class:"input",value:a.value,required:!0,onInput:c=>a.value=c.currentTarget.value}),
n("span",{class:"labelled-help",children:"By its IANA name. Intervals need none."})]})]}),n("div",{class:"chips",role:"group","aria-label":"Times that many use",
children:Kp.map(([c,d])=>n("button",{type:"button",class:"chip","aria-pressed":o.value===d,onClick:()=>o.value=d,children:c},d))}),n(io,{value:e.value,label:"Go\
als, one a line",placeholder:`Turn on dark mode.
Set an alarm for 6:30.`,mistakes:[],onInput:c=>e.value=c}),n("p",{class:"quiet",children:["Schedules of YAML files are made by ",n("code",{children:"manyhands s\
chedules add NAME FILE --when LINE"}),"."]})]}),n("div",{class:"submit-side",children:[n(ro,{fields:t.value,hasDeadline:!1,onChange:c=>t.value=c}),n("label",{class:"\
labelled",children:[n("span",{class:"labelled-name",children:"If the last batch has not ended"}),n("select",{class:"input",value:r.value,onChange:c=>r.value=c.currentTarget.
value,children:[n("option",{value:"skip",children:"submit nothing"}),n("option",{value:"queue",children:"submit as soon as it has"}),n("option",{value:"cancel_o\
ld",children:"cancel it"})]})]}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Times that were missed"}),n("select",{class:"in\
put",value:i.value,onChange:c=>i.value=c.currentTarget.value,children:[n("option",{value:"once",children:"submit one batch for all"}),n("option",{value:"skip",children:"\
submit nothing"})]})]}),s.problem.value&&n(C,{problem:s.problem.value}),n(x,{type:"submit",kind:"primary",icon:"plus",disabled:!l||s.isRunning.value,children:"M\
ake the schedule"}),!l&&le("submit")===null&&n("p",{class:"labelled-help",children:"It needs a name and a goal."})]})]})]})}function bl(){let e=ee({load:r=>L("/schedules",{limit:500},r),isChangedBy:r=>r.kind.startsWith("schedule."),pollMs:3e4},[]),t=e.value.value?.items,o=le("submit")===
null,a=o?n("a",{class:"button button-primary",href:y.newSchedule(),children:[n(v,{name:"plus"})," Make a schedule"]}):n(Pe,{needs:"submit",what:"Making schedule\
s"});return n(h,{children:[n(nn,{tab:"schedules",actions:a}),e.problem.value&&n(C,{problem:e.problem.value}),t?.length===0&&n(I,{icon:"clock",title:"No schedule\
 yet",action:n(Ke,{text:'manyhands schedules add nightly tasks.yaml --when "0 2 * * *" --zone Europe/Berlin'}),children:["A schedule submits the same batch at s\
et times. ",o&&n("a",{href:y.newSchedule(),children:"Make one here"}),o&&", or from a terminal:"]}),n("ul",{class:"schedules",children:t?.map(r=>n(Gp,{schedule:r,
reload:e.reload},r.id))})]})}function Gp({schedule:e,reload:t}){let o=D(async s=>{let l=`/schedules/${R(e.id)}`;s==="remove"?await z("DELETE",l):await z("POST",
`${l}:${s}`),t()}),a={needs:"submit",owner:e.owner,disabled:o.isRunning.value},r=e.next_times??[],i=r[0];return n("li",{class:"schedule panel",children:[n("div",
{class:"schedule-head",children:[n("div",{class:"schedule-name",children:[n("h2",{class:"said",children:e.name}),n("p",{class:"quiet",children:[n("code",{class:"\
said",children:e.when}),!e.when.startsWith("every")&&` in ${e.zone}`," \xB7 ",J(e.batch.tasks.length,"task")," \xB7 by ",n("span",{class:"said",children:e.owner})]})]}),
n("div",{class:"schedule-actions",children:[e.paused?n(X,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"Let it go on"}):n(X,{...a,icon:"pause",onClick:()=>{
o.run("pause")},children:"Pause"}),n(Ye,{...a,name:"Delete",icon:"cross",question:`Delete the schedule ${e.name}? Batches that it has submitted stay.`,yes:"Dele\
te the schedule",onConfirm:()=>{o.run("remove")}})]})]}),n("div",{class:"schedule-times",children:[e.paused?n(W,{tone:"warn",icon:"pause",children:"paused"}):n(
"span",{children:["Next ",i!==void 0&&n("strong",{children:["in ",it(i-xe.value)]}),n("span",{class:"quiet",children:[" ",r.slice(0,3).map(te).join(" \xB7 ")]})]}),
e.last_batch&&n("span",{class:"quiet",children:["Last"," ",n("a",{href:y.batch(e.last_batch),children:e.last_batch})," ",e.last_due!=null&&n(_e,{at:e.last_due})]}),
n("span",{class:"quiet",children:[w(e.submitted??0)," submitted, ",w(e.skipped??0)," skipped"]})]}),e.problem&&n("p",{class:"batch-warning",children:[n(v,{name:"\
warning",size:14})," ",n("span",{class:"said",children:e.problem})]}),o.problem.value&&n(C,{problem:o.problem.value})]})}var Yp=400,Qp=[{value:"goals",name:"Goals"},{value:"yaml",name:"YAML"}],Zp=`Turn on dark mode.
Read the last message from Maria and reply to it.`,em=`tasks:
  - id: dark
    goal: Turn on dark mode.
  - id: alarm
    goal: Set an alarm for 6:30.`;function xl(){let e=M("as")==="yaml"?"yaml":"goals",t=T({goals:"",yaml:""}),o=T(so),a=T(!1),r={kind:e,text:t.value[e],fields:o.
value},i=nm(r),s=q(Yn,[JSON.stringify(r)]),l=D(async()=>{let f=await fl(r,s);ue(["batches",f.id])}),c=(f,p=e)=>{t.value={...t.value,[p]:f},l.forget()},d=async f=>{
f!==void 0&&(c(await f.text(),"yaml"),o.value.name===""&&(o.value={...o.value,name:f.name.replace(/\.ya?ml$/i,"")}),O({as:"yaml"}))},u=i.found?.mistakes??[],m=!lo(
r)&&u.length===0&&le("submit")===null;return n("div",{class:`submit${a.value?" submit-over":""}`,onDragOver:f=>{f.preventDefault(),a.value=!0},onDragLeave:()=>a.
value=!1,onDrop:f=>{f.preventDefault(),a.value=!1,d(f.dataTransfer?.files[0])},children:[n(U,{crumbs:[{name:"Work",href:y.work()}],title:"Submit a batch"}),n(Pe,
{needs:"submit",what:"Submitting"}),n("form",{class:"submit-form",onSubmit:f=>{f.preventDefault(),m&&l.run()},onKeyDown:f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&
m&&l.run()},children:[n("div",{class:"submit-text",children:[n("div",{class:"submit-kinds",children:[n(St,{label:"What you write",value:e,choices:Qp,onChoose:f=>O(
{as:f==="yaml"?f:""})}),n("label",{class:"button submit-file",children:["Choose a YAML file",n("input",{type:"file",class:"unseen",accept:".yaml,.yml,applicatio\
n/yaml,text/yaml",onChange:f=>{d(f.currentTarget.files?.[0])}})]}),n("span",{class:"quiet submit-hint",children:"or drop one anywhere here"})]}),n(io,{value:t.value[e],
label:e==="goals"?"Goals, one a line":"Tasks in YAML",placeholder:e==="goals"?Zp:em,mistakes:u,onInput:f=>c(f)},e),i.problem&&n(C,{problem:i.problem}),n(tm,{check:i.
found,isEmpty:lo(r)})]}),n("div",{class:"submit-side",children:[n(ro,{fields:o.value,onChange:f=>o.value=f}),l.problem.value&&n(C,{problem:l.problem.value}),n(x,
{type:"submit",kind:"primary",icon:"plus",disabled:!m||l.isRunning.value,children:l.isRunning.value?"Submitting\u2026":i.found&&m?`Submit ${J(i.found.tasks,"tas\
k")}`:"Submit"})]})]})]})}function tm({check:e,isEmpty:t}){return t?n("p",{class:"quiet",children:["Say each goal as you would to a person. Tasks with checks, a\
nswers or hints are written in YAML, as"," ",n("code",{children:"manyhands run"})," reads it."]}):e===null||e.mistakes.length>0?null:n(h,{children:[n("p",{class:"\
submit-good",children:[J(e.tasks,"task")," without a mistake."]}),e.unmatched.map(o=>n(re,{tone:"warn",children:n("p",{class:"said",children:["No phone of the f\
leet fits ",o.task===null?"the batch's":`${o.task}'s`," selector ",n("code",{children:o.phones}),".",o.task===null?" Its tasks wait":" It waits"," until such a \
phone comes."]})},`${o.task} ${o.phones}`)),e.deadline_warning&&n(re,{tone:"warn",children:n("p",{class:"said",children:e.deadline_warning})})]})}function nm(e){
let t=T(null),o=T(null);return S(()=>{if(lo(e)){t.value=null,o.value=null;return}let a=new AbortController,r=setTimeout(()=>{ml(e,a.signal).then(i=>{t.value=i,o.
value=null},i=>{a.signal.aborted||(o.value=G(i))})},Yp);return()=>{clearTimeout(r),a.abort()}},[JSON.stringify(e)]),{found:t.value,problem:o.value}}function wl({id:e}){let t=e.split(".")[0]??e,o=ee({load:s=>L(`/tasks/${R(e)}`,{},s),isChangedBy:s=>s.task===e},[e]),a=ee({load:s=>L(`/batches/${R(t)}`,{},s)},[t]),
r=[{name:"Work",href:y.work()},{name:a.value.value?.name||t,href:y.batch(t)}],i=o.value.value;return n(h,{children:[i===null?n(U,{title:e,crumbs:r}):n(om,{task:i,
owner:a.value.value?.owner,crumbs:r,put:o.put}),o.problem.value&&n(C,{problem:o.problem.value})]})}function om(e){let{task:t}=e,o=D(async r=>{let i=await z("POS\
T",`/tasks/${R(t.id)}:${r}`);r==="retry"?ue(["tasks",i.id]):e.put(i)}),a={needs:"submit",disabled:o.isRunning.value,...e.owner===void 0?{}:{owner:e.owner}};return n(
h,{children:[n(U,{crumbs:e.crumbs,title:t.goal,about:n(h,{children:[n(Ln,{task:t})," ",n("span",{class:"mono",children:t.id})]}),actions:n(h,{children:[t.episode&&
n("a",{class:"button button-primary",href:y.episode(t.episode),children:[n(v,{name:"play"})," ",t.phase==="running"?"Watch it live":"Open its film"]}),t.phase===
"waiting"&&n(X,{...a,icon:"pause",onClick:()=>{o.run("pause")},children:"Pause"}),t.phase==="paused"&&n(X,{...a,icon:"play",onClick:()=>{o.run("resume")},children:"\
Let it go on"}),xt(t)&&n(X,{...a,icon:"retry",onClick:()=>{o.run("retry")},children:"Retry"}),t.phase!=="ended"&&n(Ye,{...a,name:"Cancel",icon:"stop",question:`\
Cancel the task ${t.id}?`,yes:"Cancel the task",onConfirm:()=>{o.run("cancel")}})]})}),o.problem.value&&n(C,{problem:o.problem.value}),t.phase==="ended"&&t.reason&&
n(re,{tone:t.is_done?"good":"warn",children:[n("p",{class:"note-title",children:t.is_done?zt(t.ending??""):je(t)}),n("p",{class:"said",children:t.reason})]}),t.
answer&&n(re,{tone:"quiet",children:[n("p",{class:"note-title",children:"Answer"}),n("p",{class:"said",children:t.answer})]}),n(Te,{facts:[["Phone",t.phone&&n("\
a",{href:y.phone(t.phone),children:t.phone})],["Began",t.started_at==null?null:te(t.started_at)],["Ended",t.ended_at==null?null:te(t.ended_at)],["Took",t.ended_at==
null||t.started_at==null?null:F(t.ended_at-t.started_at)],["Step",t.step==null?null:String(t.step)],["Steps done",t.steps==null?null:String(t.steps)],["Now",t.doing&&
n("span",{class:"said",children:t.doing})],["Attempts",t.attempts||null],["Priority",w(t.priority)],["Check",t.verified==null?null:t.verified?"holds":"does not \
hold"],["Retry of",t.retry_of&&n("a",{href:y.task(t.retry_of),children:t.retry_of})]]})]})}function Sl(){let e=Be.value.path,t=am(e);return S(()=>{Cn.value=t.name},[t.name]),S(()=>{scrollTo({top:0})},[e.join("/")]),n(h,{children:t.page()})}function am(e){
let[t="fleet",o=""]=e;switch(t){case"fleet":return{name:"Fleet",page:()=>n(Zr,{})};case"phones":return{name:o,page:()=>n(nl,{serial:o},o)};case"work":return rm(
e);case"batches":return{name:o,page:()=>n(pl,{id:o},o)};case"tasks":return{name:o,page:()=>n(wl,{id:o},o)};case"attention":return{name:"Attention",page:()=>n(qr,
{})};case"episodes":return{name:o,page:()=>n(Us,{id:o},o)};case"health":return{name:"Health",page:()=>n(gi,{})};default:return{name:"No such page",page:()=>n(kl,
{})}}}function rm(e){switch(e.slice(1).join("/")){case"":return{name:"Work",page:()=>n(ll,{})};case"submit":return{name:"Submit a batch",page:()=>n(xl,{})};case"\
schedules":return{name:"Schedules",page:()=>n(bl,{})};case"schedules/new":return{name:"Make a schedule",page:()=>n(yl,{})};default:return{name:"No such page",page:()=>n(
kl,{})}}}function kl(){return n(h,{children:[n(U,{title:"There is no such page"}),n(I,{icon:"search",title:"This address names no page of the console",children:[
"Perhaps the address was cut off when it was copied. The ",n("a",{href:y.fleet(),children:"fleet"})," is the first page."]})]})}function _l({problem:e}){let t=T(!1),o=async a=>{a.preventDefault();let r=a.currentTarget,i=String(new FormData(r).get("token")??"").trim();i!==""&&(t.value=!0,
await Ft(i),t.value=!1)};return n("main",{class:"sign-in",children:n("form",{class:"sign-in-form panel",onSubmit:a=>{o(a)},children:[n("h1",{children:n(bt,{})}),
n("p",{class:"quiet",children:"Sign in to this service with your token."}),n("label",{class:"labelled",children:[n("span",{class:"labelled-name",children:"Token"}),
n("input",{name:"token",class:"input mono",type:"password",autocomplete:"current-password",required:!0,autofocus:!0})]}),e&&n(C,{problem:e}),n(x,{type:"submit",
kind:"primary",disabled:t.value,children:t.value?"Signing in\u2026":"Sign in"}),n("div",{class:"sign-in-help quiet",children:[n("p",{children:["The first start \
of the service prints its token, and keeps it in the file ",n("code",{children:"token"})," of its folder. An operator makes further tokens:"]}),n(Ke,{text:"many\
hands tokens make YOUR-NAME --role submit"})]})]})})}function El({status:e,other:t}){let o=T(!1),a=async r=>{o.value=!0,await rr(r),o.value=!1};return n("main",{class:"sign-in",children:n("section",{class:"sign-in\
-form panel","aria-labelledby":"switch-title",children:[n("h1",{id:"switch-title",children:n(bt,{})}),n("p",{children:["You are signed in as ",n("strong",{class:"\
said",children:e.owner})," (",e.role,"). The link that you opened signs in ",n("strong",{class:"said",children:t.owner})," (",t.role,")."]}),n("p",{class:"quiet",
children:"Whatever you do next is recorded under the name that you choose."}),n(x,{kind:"primary",disabled:o.value,onClick:()=>{a(!1)},children:["Stay signed in\
 as ",e.owner]}),n(x,{disabled:o.value,onClick:()=>{a(!0)},children:["Sign in as ",t.owner]})]})})}function Pl(){let e=nr.value;return e.kind==="asking"?n("main",{class:"shell-wait","aria-busy":"true",children:n("p",{class:"quiet",children:[n(v,{name:"clock"}),
" Asking the service who you are\u2026"]})}):e.kind==="choosing"?n(El,{status:e.status,other:e.other}):e.kind==="out"?n(_l,{problem:e.problem}):n(im,{})}function im(){
return S(()=>{Ro([dr(),pr()]);let e=Er(),t=yr();return()=>{t(),Ro([]),e(),ur(),mr()}},[]),n("div",{class:"shell",children:[n("a",{class:"skip-link",href:"#page",
onClick:sm,children:"Skip to the page"}),n(Lr,{}),n("div",{class:"shell-page",children:[n(br,{}),n("main",{id:"page",tabIndex:-1,children:n(Sl,{})})]}),n(Ar,{})]})}
function sm(e){e.preventDefault(),document.getElementById("page")?.focus()}Po();lr();ar();Ma(n(Pl,{}),document.getElementById("app"));})();
