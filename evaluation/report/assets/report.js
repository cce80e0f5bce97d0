"use strict";(()=>{var C,Kn,tn,he,Qt,wt,Gn,bt,Yn,nn,en,Ia,je=Symbol.for("pv"),_t={},kt=[],Na=/^m(i|n|o|s|text|space)$/,rn=Array.isArray,on=kt.slice,ke=Object.assign;function _e(e){
e&&e.parentNode&&e.remove()}function Zn(e,t,n){var o,a,i,s={},l=arguments.length;for(i in t)i=="key"?o=t[i]:i=="ref"&&typeof e!="function"?a=t[i]:s[i]=t[i];return l>
2&&(s.children=l>3?on.call(arguments,2):n),Ue(e,s,o,a,null)}function Ue(e,t,n,o,a){var i={type:e,props:t,key:n,ref:o,__k:null,__:null,__b:0,__e:null,__c:null,constructor:je,__v:a||++Kn,__i:-1,__u:0};return!a&&C.vnode&&C.
vnode(i),i}function w(e){return e.children}function Ie(e,t){this.props=e,this.context=t,this.__g=0}function ge(e,t){if(t==null)return e.__&&ge(e.__,e.__i+1);for(var n;t<e.
__k.length;t++)if((n=e.__k[t])&&n.__e)return n.__e;return typeof e.type!="function"||e.props.__P?null:ge(e)}function Xa(e){var t,n=e.__v,o=n.__e,a=[],i=[],s=e.__P;
s&&((t=ke({constructor:je},n)).__v=n.__v+1,C.vnode&&C.vnode(t),an(s,t,n,e.__n,s.namespaceURI,32&n.__u?[o]:null,a,o||ge(n),32&n.__u,i),t.__v=n.__v,t.__.__k[t.__i]=
t,or(a,t,i),n.__=n.__e=null,t.__e!=o&&Qn(t))}function Qn(e){if((e=e.__)&&e.__c&&!e.props.__P)return e.__e=null,e.__k.some(function(t){return t&&(e.__e=t.__e)}),
Qn(e)}function Un(e){(8&e.__g||(e.__g|=8,he.push(e),wt++))&&Qt==C.debounceRendering||((Qt=C.debounceRendering)||queueMicrotask)(er)}function er(){try{for(var e,
t=1;he.length;)he.length>t&&he.sort(Gn),e=he.shift(),t=he.length,8&e.__g&&Xa(e)}finally{(wt=he.length)&&(Qt||queueMicrotask)(er)}}function tr(e,t,n,o,a,i,s,l,c,u,d){
var h,m,p,f,g,x,R=o.__k||kt,y=t.length;for(c=Ja(n,t,R,c,y),h=0;h<y;h++)(p=n.__k[h])!=null&&(m=~p.__i&&R[p.__i]||_t,p.__i=h,x=an(e,p,m,a,i,s,l,c,u,d),f=p.__e,(m.
ref!=p.ref||8&m.__u)&&(m.ref&&sn(m.ref,null,p,m),p.ref&&d.push(p.ref,p.__c||f,p)),g=g||f,4&p.__u?(c=nr(p,c,e,!m.__v),m.__e&&(m.__e=null)):typeof p.type=="functi\
on"&&x!==void 0?c=x:f&&(c=f.nextSibling),p.__u&=-21);return n.__e=g,c}function Ja(e,t,n,o,a){var i,s,l,c,u,d,h,m,p,f=n.length,g=f,x=0,R=0,y=e.__k=Array(a);for(i=
0;i<a;i++)(s=t[i])!=null&&typeof s!="boolean"&&typeof s!="function"?(typeof s!="object"||s.constructor===String?s=y[i]=Ue(null,s):rn(s)?s=y[i]=Ue(w,{children:s}):
s.constructor===je&&s.__b?s=y[i]=Ue(s.type,s.props,s.key,s.ref,s.__v):y[i]=s,c=i+x,s.__=e,s.__b=e.__b+1,l=null,~(u=s.__i=za(s,n,c,g))&&(g--,(l=n[u])&&(l.__u|=2)),
l&&l.__v?(s.__u|=16,u==c-1?x--:u==c+1?x++:u!=c&&(u>c?x--:x++,R=1)):(~u||(a>f?x--:a<f&&x++),typeof s.type!="function"&&(s.__u|=4))):y[i]=null;if(R){for(d=[],h=[],
i=0;i<a;i++)if((s=y[i])&&16&s.__u){for(x=0,m=d.length;x<m;)d[p=x+m>>1]<s.__i?x=p+1:m=p;d[x]=s.__i,h[i]=x+1}for(x=d.length;i--;)h[i]&&(h[i]==x?x--:y[i].__u|=4)}if(g)
for(i=0;i<f;i++)!(l=n[i])||2&l.__u||(l.__e==o&&(o=ge(l)),ln(l,l));return o}function nr(e,t,n,o){var a,i,s,l;if(typeof e.type=="function"){if(e.props.__P)return t;
if(a=e.__k)for(i=0;i<a.length;i++)a[i]&&(a[i].__=e,t=nr(a[i],t,n,!1));return t}for(t&&!t.parentNode&&(t=ge(e))&&!t.parentNode&&(t=null),s=e.__e,l=t;l&&l.nodeType==
8;)l=l.nextSibling;for(s!=l&&(!o&&n.moveBefore&&s.parentNode?n.moveBefore(s,t):n.insertBefore(s,t||null)),t=s;(t=t&&t.nextSibling)&&t.nodeType==8&&!t.data.startsWith(
"$s"););return t}function za(e,t,n,o){var a,i=e.key,s=e.type,l=t[n],c=l&&!(2&l.__u);if(l===null&&i==null||c&&i==l.key&&s==l.type)return n;if(o>(c?1:0)){for(a=n-1;a>=0;a--)if((l=
t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a;for(a=n+1;a<t.length;a++)if((l=t[a])&&!(2&l.__u)&&i==l.key&&s==l.type)return a}return-1}function jn(e,t,n){n==null&&
(n=""),t[0]=="-"?e.setProperty(t,n):e[t]=n}function yt(e,t,n,o,a){var i,s;if(t=="style")if(typeof n=="string")e.style.cssText=n;else{if(typeof o=="string"&&(e.style.
cssText=o=""),o)for(t in o)n&&t in n||jn(e.style,t);if(n)for(t in n)o&&n[t]==o[t]||jn(e.style,t,n[t])}else if(t[0]=="o"&&t[1]=="n")typeof n!="function"&&(n=null),
typeof o!="function"&&(o=null),(e.__e||(e.__e={}))[t]=n,n&&o||(s=en[t]||(en[t]=Da(t)),(e.__a||(e.__a={}))[t]=nn,i=t!=(t=t.replace(Yn,"$1")),(t=t.slice(2))[0]<"a"&&
(t=t.toLowerCase()),n?e.addEventListener(t,s,i):e.removeEventListener(t,s,i));else{if(a=="http://www.w3.org/2000/svg")t=t.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(t!="width"&&t!="height"&&t!="href"&&t!="list"&&t!="form"&&t!="tabIndex"&&t!="download"&&t!="rowSpan"&&t!="colSpan"&&t!="role"&&t!="popover"&&t in e)
try{return void(e[t]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&t[4]!="-"?e.removeAttribute(t):e.setAttribute(t,t=="popover"&&n==1?"":n)}}function Da(e){
return function(t){var n=this.__e;if(n){if(n=n[e],t[bt]==null)t[bt]=nn++;else if(t[bt]<this.__a[e])return;return n(C.event?C.event(t):t)}}}function an(e,t,n,o,a,i,s,l,c,u){
var d,h,m,p,f,g,x,R,y,B,F,Be,we,ce,k,q,Y,Z,te=t.type;if(t.constructor!==je)return null;128&n.__u&&(c=32&n.__u,d=n.__c.__z)&&(t.__u|=c,h=i=[],d.nodeType==8?l=xt(
d,i):i.push(d),l=i[0]||l),(d=C.__b)&&d(t);e:if(typeof te=="function"){m=s.length;try{if(R=t.props,y=(d=te.prototype)&&d.render,B=(d=te.contextType)&&o[d.__c],F=
d?B?B.props.value:d.__:o,(p=n.__c)?(t.__c=p,2&p.__g&&(p.__g|=1)):(y?t.__c=p=new te(R,F):(t.__c=p=new Ie(R,F),p.constructor=te,p.render=qa),B&&B.sub(p),p.state||
(p.state={}),p.__n=o,p.__g|=8,p.__h=[],p.__k=[]),y&&(p.__s||(p.__s=p.state),te.getDerivedStateFromProps&&(p.__s==p.state&&(p.__s=ke({},p.__s)),ke(p.__s,te.getDerivedStateFromProps(
R,p.__s)))),f=p.props,g=p.state,p.__v=t,n.__c){if(R!==f&&y&&!te.getDerivedStateFromProps&&p.componentWillReceiveProps&&p.componentWillReceiveProps(R,F),t.__v==n.
__v&&!(8&p.__g)||!(4&p.__g)&&p.shouldComponentUpdate&&p.shouldComponentUpdate(R,p.__s,F)===!1){t.__v!=n.__v&&(p.props=R,p.state=p.__s,p.__g&=-9),t.__e=n.__e,t.__k=
n.__k,t.__k.some(function(W){W&&(W.__=t)}),kt.push.apply(p.__h,p.__k),p.__k=[],p.__h.length&&s.push(p),l=ge(n);break e}p.componentWillUpdate&&p.componentWillUpdate(
R,p.__s,F),y&&p.componentDidUpdate&&p.__h.push(function(){p.componentDidUpdate(f,g,x)})}else y&&!te.getDerivedStateFromProps&&p.componentWillMount&&p.componentWillMount(),
y&&p.componentDidMount&&p.__h.push(p.componentDidMount);p.context=F,p.props=R,p.__P=e,p.__g&=-5,Be=C.__r,we=y?25:0;do p.__g&=-9,Be&&Be(t),d=p.render(p.props,p.state=
p.__s,p.context);while(8&p.__g&&++we<25);y&&(kt.push.apply(p.__h,p.__k),p.__k=[]),p.state=p.__s,p.getChildContext&&(o=ke({},o,p.getChildContext())),y&&n.__c&&p.
getSnapshotBeforeUpdate&&(x=p.getSnapshotBeforeUpdate(f,g)),ce=d&&d.type===w&&d.key==null?d.props.children:d,R.__P&&(d=l,a=(e=R.__P).namespaceURI,c=i=null,n.props&&
n.props.__P!=e&&(n.__k.some(function(W){W&&ln(W,W)}),n.__k=null),l=n.__k?ge(n,0):null),l=tr(e,rn(ce)?ce:[ce],t,n,o,a,i,s,l,c,u),R.__P&&(t.__e=null,l=d),t.__u&=-161,
h&&h.some(_e),p.__h.length&&s.push(p),1&p.__g&&(p.__g&=-4)}catch(W){if(s.length=m,t.__v=null,c||i)if(W&&W.then){if(t.__u|=128|c,i){for(~(Y=i.indexOf(l||void 0))||
(Y=i.length);(Z=i[Y-1])&&Z.nodeType==8;)Y--;for(;Y<i.length;Y++)if(Z=i[Y])if(i[Y]=null,k){if(Z==q)break}else{if(Z.nodeType!=8)break;Z.data.startsWith("$s")&&(q=
xt(k=Z))}}if(!k){for(;l&&l.nodeType==8&&l.nextSibling;)l=l.nextSibling;k=l}(d=xt(k=t.__c.__z||(t.__c.__z=k)))?(t.__e=k,l=d):t.__e=l,l=l&&l.nextSibling}else i&&i.
some(_e);else t.__e=n.__e;t.__k||(t.__k=n.__k||[]),W&&W.then||rr(t),C.__e(W,t,n)}}else l=t.__e=Ha(n.__e,t,n,o,a,i,s,c,u,e);return(d=C.diffed)&&d(t),l}function xt(e,t){
if(e&&e.nodeType==8&&e.data.startsWith("$s"))for(var n=1;e=e.nextSibling;){if(e.nodeType==8){if(e.data.startsWith("$s"))n++;else if(e.data.startsWith("/$s")&&!--n)
return e}t&&t.push(e)}}function rr(e){e&&(e.__c&&(e.__c.__g|=4),e.__k&&e.__k.some(rr))}function or(e,t,n){for(var o=0;o<n.length;)sn(n[o++],n[o++],n[o++]);C.__c&&
C.__c(t,e),e.some(function(a){try{e=a.__h,a.__h=[],e.some(function(i){i.call(a)})}catch(i){C.__e(i,a.__v)}})}function Ha(e,t,n,o,a,i,s,l,c,u){var d,h,m,p,f,g,x,
R,y=n.props||_t,B=t.props,F=t.type;if(F=="svg"?a="http://www.w3.org/2000/svg":F=="math"?a="http://www.w3.org/1998/Math/MathML":a||(a="http://www.w3.org/1999/xht\
ml"),i){for(d=0;d<i.length;d++)if((f=i[d])&&(F?f.localName==F:f.nodeType==3)){e=f,i[d]=null;break}}if(!e){if(R=u.ownerDocument||document,!F)return R.createTextNode(
B);e=R.createElementNS(a,F,B.is?B:u),l&&(C.__m&&C.__m(t,i),l=!1),i=null}if(F){if(u=F=="template"&&e.content||e,i=F=="textarea"&&B.defaultValue!=null?null:i&&on.
call(u.childNodes),!l&&i)for(y={},d=0;d<e.attributes.length;d++)y[(f=e.attributes[d]).name]=f.value;for(d in y)f=y[d],d=="dangerouslySetInnerHTML"?m=f:d=="child\
ren"||d in B||d=="value"&&"defaultValue"in B||d=="checked"&&"defaultChecked"in B||yt(e,d,null,f,a);for(d in B)f=B[d],d=="children"?p=f:d=="dangerouslySetInnerHT\
ML"?h=f:d=="value"?g=f:d=="checked"?x=f:l&&typeof f!="function"||y[d]===f||yt(e,d,f,y[d],a);h?(l||m&&(h.__html==m.__html||h.__html==e.innerHTML)||(e.innerHTML=h.
__html),t.__k=[]):(m&&(e.textContent=""),(F=="foreignObject"||a=="http://www.w3.org/1998/Math/MathML"&&Na.test(F))&&(a="http://www.w3.org/1999/xhtml"),tr(u,rn(p)?
p:[p],t,n,o,a,i,s,i?i[0]:n.__k&&ge(n,0),l,c),i&&i.some(_e)),l&&F!="textarea"||(d="value",F=="progress"&&g==null?e.removeAttribute(d):g==null||g===e[d]&&(F!="pro\
gress"||g)||yt(e,d,g,y[d],a),d="checked",x!=null&&x!=e[d]&&yt(e,d,x,y[d],a))}else y===B||l&&e.data==B||(e.data=B);return e}function sn(e,t,n,o){try{typeof e=="f\
unction"?t?t.__x=e(t)||1:o&&(o=o.__c||o.__e)&&(t=o.__x)&&(o.__x=null,typeof t=="function"?t():e(null)):e.current=t}catch(a){C.__e(a,n)}}function ln(e,t,n){var o,
a,i,s;if(C.unmount&&C.unmount(e),!(o=e.ref)||o.current&&o.current!=e.__e||sn(o,null,t,e),o=e.__c){if(o.componentWillUnmount)try{o.componentWillUnmount()}catch(l){
C.__e(l,t)}o.__P=o.__n=null}if(o=e.__k)for(s=0;s<o.length;s++)o[s]&&ln(o[s],t,typeof e.type!="function"||n&&!e.props.__P);!n&&(o=e.__c)&&(o=o.__z)&&(a=xt(o,i=[]))&&
(o==e.__e&&i.some(_e),_e(a),_e(o)),n||_e(e.__e),e.__e=e.__c=e.__=null}function qa(e,t,n){return this.constructor(e,n)}function ar(e,t){var n,o,a,i;C.__&&C.__(e,
t),t.nodeType==9&&(t=t.documentElement),o=(n=e&&32&e.__u)?null:t.__k,t.__k=Ue(w,{children:[e]}),a=[],i=[],an(t,t.__k,o||_t,_t,t.namespaceURI,o?null:t.firstChild?
on.call(t.childNodes):null,a,o?o.__e:t.firstChild,n,i),or(a,t.__k,i),t.__k.props.children=null}C={__e:function(e,t,n,o){for(var a,i,s;t=t.__;)if((a=t.__c)&&!(1&a.__g)){a.__g|=4;try{if((s=(i=a.constructor)&&i.getDerivedStateFromError)&&a.setState(i.getDerivedStateFromError(
e)),a.componentDidCatch&&(a.componentDidCatch(e,o||{}),s=1),s&&8&a.__g)return void(a.__g|=2)}catch(l){e=l}}throw wt=0,e}},Kn=0,tn=function(e){return e!=null&&e.
constructor===je},Ie.prototype.setState=function(e,t){var n=this.__s;n&&n!=this.state||(n=this.__s=ke({},this.state)),typeof e=="function"&&(e=e(ke({},n),this.props)),
e&&(ke(n,e),this.__v&&(t&&this.__k.push(t),Un(this)))},Ie.prototype.forceUpdate=function(e){this.__v&&(this.__g|=4,e&&this.__h.push(e),Un(this))},Ie.prototype.render=
w,he=[],wt=0,Gn=function(e,t){return e.__v.__b-t.__v.__b},bt=Symbol(),Yn=/(PointerCapture)$|Capture$/i,nn=0,en={},Ia=0;var Se,N,cn,ir,dn=Object.is,St=0,hr=[],pn=[],I=C,sr=I.__b,lr=I.__r,cr=I.diffed,dr=I.__c,pr=I.unmount,ur=I.__;function Ge(e,t){I.__h&&I.__h(N,e,St||t),St=0;var n=N.
__H||(N.__H={__:[],__h:[]});return e>=n.__.length&&n.__.push({}),n.__[e]}function v(e){return St=1,Wa(gr,e)}function Wa(e,t,n){var o=Ge(Se++,2);if(o.t=e,!o.__c&&
(o.__=[n?n(t):gr(void 0,t),function(i){var s=(o.__N||o.__)[0],l=o.t(s,i);dn(s,l)||(o.__N=[l,o.__[1]],o.__c.setState({}))}],o.__c=N,!N.__f)){N.__f=!0;var a=N.shouldComponentUpdate;
N.shouldComponentUpdate=function(i,s,l){var c=this.__H;if(!c)return!0;var u=!1,d=this.props!=i;if(c.__.some(function(m){m.__N&&(u=!0,dn(m.__[0],m.__N[0])||(d=!0))}),
a){var h=a.call(this,i,s,l);return u?h||d:h}return!u||d}}return o.__}function T(e,t){var n=Ge(Se++,3);!I.__s&&mn(n.__H,t)&&(n.__P=!0,n.__=e,n.u=t,N.__H.__h.push(
n))}function Q(e,t){var n=Ge(Se++,4);!I.__s&&mn(n.__H,t)&&(n.__P=!1,n.__=e,n.u=t,N.__h.push(n))}function M(e){return St=5,L(function(){return{current:e}},[])}function L(e,t){var n=Ge(Se++,7);return mn(n.__H,t)&&(n.__=e(),n.__H=t),n.__}function Ye(){var e=Ge(Se++,11);if(!e.__){for(var t=N.__v;!t.__m&&t.__;)t=t.__;var n=t.__m||(t.__m=[0,0]);e.__="P"+n[0]+"-"+n[1]++}return e.__}function Va(){var e;
do{for(;e=pn.shift();)try{Ke(e)}catch(n){I.__e(n,{__:(e=e.__P)&&e.__v})}for(;e=hr.shift();){var t=e.__H;if(e.__P&&t)try{t.__h.some(Ke),t.__h.some(un),t.__h=[]}catch(n){
t.__h=[],I.__e(n,e.__v)}}}while(pn.length)}I.__b=function(e){N=null,sr&&sr(e)},I.__=function(e,t){e&&t.__k&&t.__k.__m&&(e.__m=t.__k.__m),ur&&ur(e,t)},I.__r=function(e){
lr&&lr(e),Se=0;var t=(N=e.__c).__H;t&&(cn==N?N.__h=[]:(t.__h.some(Ke),t.__h.some(un),Se=0),t.__h=[],t.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),
cn=N},I.diffed=function(e){cr&&cr(e);var t=e.__c;t&&t.__H&&(t.__H.__h.length&&fr(hr.push(t)),t.__H.__.some(function(n){n.u&&(n.__H=n.u)})),cn=N=null},I.__c=function(e,t){
t.some(function(n){try{n.__h.some(Ke),n.__h=n.__h.filter(function(o){return!o.__||un(o)})}catch(o){n.__h=[function(){throw o}]}}),dr&&dr(e,t)},I.unmount=function(e){
pr&&pr(e);var t,n,o=e.__c;o&&o.__H&&(o.__H.__.some(function(a){try{if(a.__P&&a.__c){if(n===void 0){for(n=e.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}a.__P=n,
fr(pn.push(a))}else Ke(a)}catch(i){t=i}}),o.__H=void 0,t&&I.__e(t,o.__v))};var mr=typeof requestAnimationFrame=="function";function Ua(e){var t,n=function(){clearTimeout(
o),mr&&cancelAnimationFrame(t),setTimeout(e)},o=setTimeout(n,35);mr&&(t=requestAnimationFrame(n))}function fr(e){e!=1&&ir==I.requestAnimationFrame||((ir=I.requestAnimationFrame)||
Ua)(Va)}function Ke(e){var t=N,n=e.__c;typeof n=="function"&&(e.__c=void 0,n()),N=t}function un(e){var t=N;e.__c=e.__(),N=t}function mn(e,t){return!e||e.length!=
t.length||t.some(function(n,o){return!dn(n,e[o])})}function gr(e,t){return typeof t=="function"?t(e):t}var ja=Symbol.for("preact-signals");function Mt(){if(de>1)de--;else{var e,t=!1;for((function(){var a=Tt;for(Tt=void 0;a!==void 0;){var i=a.S;if(i.v===a.v)for(var s=i.
t;s!==void 0;s=s.x)s.i===a.i&&(s.i=i.i);a=a.o}})();Qe!==void 0;){var n=Qe;for(Qe=void 0,Et++;n!==void 0;){var o=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&yr(n))try{n.
c()}catch(a){t||(e=a,t=!0)}n=o}}if(Et=0,de--,t)throw e}}function hn(e){if(de>0)return e();fn=++Ka,de++;try{return e()}finally{Mt()}}var Ze,O=void 0;function et(e){
var t=O,n=Ze;O=void 0,Ze=void 0;try{return e()}finally{O=t,Ze=n}}var Qe=void 0,de=0,Et=0,Ka=0,fn=0,Tt=void 0,Ct=0;function vr(e){if(O!==void 0){var t=e.n;if(t===
void 0||t.t!==O)return t={i:0,S:e,p:O.s,n:void 0,t:O,e:void 0,x:void 0,r:t},O.s!==void 0&&(O.s.n=t),O.s=t,e.n=t,32&O.f&&e.S(t),t;if(t.i===-1)return t.i=0,t.n!==
void 0&&(t.n.p=t.p,t.p!==void 0&&(t.p.n=t.n),t.p=O.s,t.n=void 0,O.s.n=t,O.s=t),t}}function z(e,t){this.v=e,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=
t?.watched,this.Z=t?.unwatched,this.name=t?.name}z.prototype.brand=ja;z.prototype.h=function(){return!0};z.prototype.S=function(e){var t=this,n=this.t;n!==e&&e.
e===void 0&&(e.x=n,this.t=e,n!==void 0?n.e=e:et(function(){var o;(o=t.W)==null||o.call(t)}))};z.prototype.U=function(e){var t=this;if(this.t!==void 0){var n=e.e,
o=e.x;n!==void 0&&(n.x=o,e.e=void 0),o!==void 0&&(o.e=n,e.x=void 0),e===this.t&&(this.t=o,o===void 0&&et(function(){var a;(a=t.Z)==null||a.call(t)}))}};z.prototype.
subscribe=function(e){var t=this;return Te(function(){var n=t.value;et(function(){return e(n)})},{name:"sub"})};z.prototype.valueOf=function(){return this.value};
z.prototype.toString=function(){return this.value+""};z.prototype.toJSON=function(){return this.value};z.prototype.peek=function(){var e=this;return et(function(){
return e.value})};Object.defineProperty(z.prototype,"value",{get:function(){var e=vr(this);return e!==void 0&&(e.i=this.i),this.v},set:function(e){if(e!==this.v){
if(Et>100)throw new Error("Cycle detected");(function(n){de!==0&&Et===0&&n.l!==fn&&(n.l=fn,Tt={S:n,v:n.v,i:n.i,o:Tt})})(this),this.v=e,this.i++,Ct++,de++;try{for(var t=this.
t;t!==void 0;t=t.x)t.t.N()}finally{Mt()}}}});function ee(e,t){return new z(e,t)}function yr(e){for(var t=e.s;t!==void 0;t=t.n)if(t.S.i!==t.i||!t.S.h()||t.S.i!==
t.i)return!0;return!1}function br(e){for(var t=e.s;t!==void 0;t=t.n){var n=t.S.n;if(n!==void 0&&(t.r=n),t.S.n=t,t.i=-1,t.n===void 0){e.s=t;break}}}function xr(e){
for(var t=e.s,n=void 0;t!==void 0;){var o=t.p;t.i===-1?(t.S.U(t),o!==void 0&&(o.n=t.n),t.n!==void 0&&(t.n.p=o)):n=t,t.S.n=t.r,t.r!==void 0&&(t.r=void 0),t=o}e.s=
n}function Ee(e,t){z.call(this,void 0,t),this.x=e,this.s=void 0,this.g=Ct-1,this.f=4}Ee.prototype=new z;Ee.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;
if((36&this.f)==32||(this.f&=-5,this.g===Ct))return!0;if(this.g=Ct,this.f|=1,this.i>0&&!yr(this))return this.f&=-2,!0;var e=O;try{br(this),O=this;var t=this.x();
(16&this.f||this.v!==t||this.i===0)&&(this.v=t,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return O=e,xr(this),this.f&=-2,!0};Ee.prototype.S=function(e){
if(this.t===void 0){this.f|=36;for(var t=this.s;t!==void 0;t=t.n)t.S.S(t)}z.prototype.S.call(this,e)};Ee.prototype.U=function(e){if(this.t!==void 0&&(z.prototype.
U.call(this,e),this.t===void 0)){this.f&=-33;for(var t=this.s;t!==void 0;t=t.n)t.S.U(t)}};Ee.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var e=this.t;e!==
void 0;e=e.x)e.t.N()}};Object.defineProperty(Ee.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var e=vr(this);if(this.h(),e!==void 0&&
(e.i=this.i),16&this.f)throw this.v;return this.v}});function Ne(e,t){return new Ee(e,t)}function wr(e){var t=e.j;if(e.j=void 0,typeof t=="function"){de++;var n=O;
O=void 0;try{t()}catch(o){throw e.f&=-2,e.f|=8,gn(e),o}finally{O=n,Mt()}}}function gn(e){for(var t=e.s;t!==void 0;t=t.n)t.S.U(t);e.x=void 0,e.s=void 0,wr(e)}function Ga(e){
if(O!==this)throw new Error("Out-of-order effect");xr(this),O=e,this.f&=-2;try{8&this.f&&gn(this)}finally{Mt()}}function Xe(e,t){this.x=e,this.j=void 0,this.s=void 0,
this.u=void 0,this.f=32,this.name=t?.name,Ze&&Ze.push(this)}Xe.prototype.c=function(){var e=this.S();try{if(8&this.f||this.x===void 0)return;var t=this.x();typeof t==
"function"&&(this.j=t)}finally{e()}};Xe.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,wr(this),br(this),de++;var e=O;
return O=this,Ga.bind(this,e)};Xe.prototype.N=function(){2&this.f||(this.f|=2,this.u=Qe,Qe=this)};Xe.prototype.d=function(){this.f|=8,1&this.f||gn(this)};Xe.prototype.
dispose=function(){this.d()};function Te(e,t){var n=new Xe(e,t);try{n.c()}catch(a){throw n.d(),a}var o=n.d.bind(n);return o[Symbol.dispose]=o,o}var _r,Pt,Rt,Ya=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var kr=[];Te(function(){_r=this.N})();function Je(e,t){C[e]=t.bind(null,C[e]||function(){})}function tt(e){if(Rt){var t=Rt;Rt=void 0,t()}Rt=e&&e.S()}function Sr(e){
var t=this,n=e.data,o=Qa(n);o.name="ReactiveDom",o.value=n;var a=L(function(){for(var l=t,c=t.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}var u=Ne(function(){var p=o.
value.value;return p===0?0:p===!0?"":p||""}),d=Ne(function(){return!Array.isArray(u.value)&&!tn(u.value)}),h=Te(function(){if(this.N=Er,d.value){var p=u.value;l.
__v&&l.__v.__e&&l.__v.__e.nodeType===3&&(l.__v.__e.data=p)}}),m=t.__$u.d;return t.__$u.d=function(){h(),m.call(this)},[d,u]},[]),i=a[0],s=a[1];return i.value?s.
peek():s.value}Sr.displayName="ReactiveTextNode";Object.defineProperties(z.prototype,{constructor:{configurable:!0,value:Zn(w,null).constructor},type:{configurable:!0,
value:Sr},props:{configurable:!0,get:function(){var e=this;return{data:{get value(){return e.value}}}}},__b:{configurable:!0,value:1}});Je("__b",function(e,t){if(tt(),
Pt=void 0,typeof t.type=="string"){var n,o=t.props;for(var a in o)if(a!=="children"){var i=o[a];i instanceof z&&(n||(t.__np=n={}),n[a]=i,o[a]=i.peek())}}e(t)});
Je("__r",function(e,t){if(e(t),t.type!==w){tt();var n,o=t.__c;o&&(o.__$f&=-2,(n=o.__$u)===void 0&&(o.__$u=n=(function(a,i){var s;return Te(function(){s=this},{name:i}),
s.c=a,s})((function(a){return function(){var i;Ya&&((i=this.y)==null||i.call(this)),a.__$f|=1,a.setState({})}})(o),typeof t.type=="function"?t.type.displayName||
t.type.name:""))),Pt=o,tt(n)}});Je("__e",function(e,t,n,o){tt(),Pt=void 0,e(t,n,o)});Je("diffed",function(e,t){tt(),Pt=void 0;var n;if(typeof t.type=="string"&&
(n=t.__e)){var o=t.__np,a=t.props,i=n.U;if(i)for(var s in i){var l=i[s];l===void 0||o&&s in o||(l.d(),i[s]=void 0)}if(o){i||(i={},n.U=i);for(var c in o){var u=i[c],
d=o[c];u===void 0?(u=Za(n,c,d,a),i[c]=u):u.o(d,a)}}}e(t)});function Za(e,t,n,o){var a=t in e&&e.ownerSVGElement===void 0,i=ee(n);return{o:function(s,l){i.value=
s,o=l},d:Te(function(){this.N=Er;var s=i.value.value;o[t]!==s&&(o[t]=s,a?e[t]=s:s!=null&&(s!==!1||t[4]==="-")?e.setAttribute(t,s):e.removeAttribute(t))})}}Je("u\
nmount",function(e,t){if(typeof t.type=="string"){var n=t.__e;if(n){var o=n.U;if(o){n.U=void 0;for(var a in o){var i=o[a];i&&i.d()}}}var s=t.__np;if(s){var l=t.
props;for(var c in s)l[c]=s[c]}t.__np=void 0}else{var u=t.__c;if(u){u.__$f|=8;var d=u.__$u;d&&(u.__$u=void 0,d.d())}}e(t)});Je("__h",function(e,t,n,o){o<3&&(t.__$f|=
2),e(t,n,o)});Ie.prototype.shouldComponentUpdate=function(e,t){if(this.__R)return!0;var n=this.__$u,o=n&&n.s!==void 0;for(var a in t)return!0;if(this.__f||typeof this.
u=="boolean"&&this.u===!0){var i=2&this.__$f;if(!(o||i||4&this.__$f)||1&this.__$f)return!0}else if(!(o||4&this.__$f)||3&this.__$f)return!0;for(var s in e)if(s!==
"__source"&&e[s]!==this.props[s])return!0;for(var l in this.props)if(!(l in e))return!0;return!1};function Qa(e,t){return L(function(){return ee(e,t)},[])}var ei=function(e){queueMicrotask(function(){queueMicrotask(e)})};function ti(){hn(function(){for(var e;e=kr.shift();)_r.call(e)})}function Er(){kr.push(this)===1&&(C.requestAnimationFrame||ei)(ti)}var Tr="manyhands-theme",nt=ee(ni());function ni(){try{let e=localStorage.getItem(Tr);return e==="light"||e==="dark"?e:"system"}catch{return"system"}}function Cr(e){
nt.value=e;try{localStorage.setItem(Tr,e)}catch{}vn()}function vn(){let e=document.documentElement;nt.value==="system"?delete e.dataset.theme:e.dataset.theme=nt.
value,$t.value+=1}var $t=ee(0);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",()=>{$t.value+=1});var ri=Symbol.for("pv"),oi=0;function r(e,t,n,o,a,i){t||(t={});var s,l,c=t;if("ref"in c&&typeof e!="function")for(l in c={},t)l=="ref"?s=t[l]:c[l]=t[l];var u={type:e,props:c,key:n,ref:s,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:ri,__v:--oi,__i:-1,__u:0};return(a||i)&&(u.__source=a,u.__self=i),C.vnode&&C.vnode(u),u}var ai={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function b({name:e,size:t=16,label:n}){return r("svg",{class:"icon",width:t,height:t,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:n?"img":void 0,"aria-label":n,"aria-hidden":n?void 0:"true",focusable:"false",children:r("path",{d:ai[e]})})}function _({icon:e,label:t,kind:n="plain",pressed:o,children:a,class:i,...s}){return r("button",{type:"button",...s,class:`button button-${n}${e&&!a?" button-ic\
on":""}${i?` ${String(i)}`:""}`,"aria-label":t,title:s.title??t,"aria-pressed":o,children:[e&&r(b,{name:e}),a]})}function X(e){return r("div",{class:"empty",children:[e.icon&&r(b,{name:e.icon,size:24}),r("p",{class:"empty-title",children:e.title}),e.children&&r("div",{class:"\
empty-text",children:e.children}),e.action]})}var ze=ee(yn(location.hash)),Ce=Ne(()=>ze.value);addEventListener("hashchange",()=>{ze.value=yn(location.hash)});function yn(e){let t=e.replace(/^#\/?/,""),n=t.
indexOf("?"),o=(n<0?t:t.slice(0,n)).split("/").filter(Boolean).map(Mr),a=Object.create(null);if(n>=0)for(let[i,s]of new URLSearchParams(t.slice(n+1)))s&&(a[i]=s);
return{path:o,choices:a}}function Mr(e){try{return decodeURIComponent(e)}catch{return e}}function oe(e,t={}){let n=new URLSearchParams;for(let[a,i]of Object.entries(
t))i!=null&&i!==""&&i!==!1&&n.set(a,String(i));let o=n.toString();return`#/${e.map(encodeURIComponent).join("/")}${o&&`?${o}`}`}function bn(e,t={},{replace:n=!1}={}){
let o=oe(e,t);o!==location.hash&&(n?history.replaceState(null,"",o):history.pushState(null,"",o),ze.value=yn(o))}function P(e,{replace:t=!0}={}){bn(ze.value.path,
{...ze.value.choices,...e},{replace:t})}function $(e,t=""){return ze.value.choices[e]??t}function ve(e){return $(e).split(",").filter(Boolean).map(Mr)}function ye(e,t){
P({[e]:[...t].map(n=>n.replaceAll("%","%25").replaceAll(",","%2C")).join(",")})}var Me={A:"as expected",B:"a wrong page",C:"nothing changed"},ii={finished:"the agent said that the task is done",impossible:"the agent said that the goal canno\
t be reached",step_limit:"the limit of steps was reached",answer_invalid:"the agent's answer is missing or does not fit what the task asks for",failure_limit:"t\
oo many actions in a row did not do what was expected",repeat_limit:"the same action failed too often in a row",time_limit:"the time limit was reached",unusable_reply:"\
the model's reply could not be used",phone_lost:"the phone was lost",lease_lost:"another holder took the phone",model_failed:"the model failed",perception_failed:"\
the screen could not be read",host_lost:"the process that ran the episode died",no_phone:"no phone was left to run it on",no_model:"no model server answered for\
 too long",cancelled:"it was cancelled",internal_error:"a defect of the program ended it",unfinished:"its journal has no end, because the run was interrupted"},
xn="unfinished";function Rr(e){return ii[e]??e.replaceAll("_"," ")}function Pr(e){return e.replaceAll("_"," ")}var si={plan:"planner",decide:"operator",reflect:"\
reflector",note:"notetaker",caption:"captioner",permit:"verifier",recall:"retriever",learn_tips:"tips learner",learn_shortcuts:"shortcuts learner",judge:"judge"};
function Lt(e){return si[e]??e.replaceAll("_"," ")}var li={Back:"Back",Home:"Home",Enter:"Enter",Switch_App:"App switcher",Wait:"Wait",Stop:"Stop"};function $r(e){
let t=e.action_kind,n=li[t];return n?t==="Wait"?ne(e):n:t==="Open_App"||t==="Open_Link"||t==="Answer"?ne(e):e.touches.length||e.typed_text||!t?"":ne(e)}function Lr(e){
return Math.hypot(e.x2-e.x1,e.y2-e.y1)>12}function ne(e){if(!e.action)return"no action";let t=e.action.indexOf(" "),n=t<0?e.action:e.action.slice(0,t);return n.
replaceAll("_"," ")+e.action.slice(n.length)}function K(e){return e.episode.ended_at!=null||e.episode.ending!=null}function Ar(e){return K(e)?e:{...e,episode:{...e.
episode,ending:xn}}}var Fr=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;function Or(e,t){if(e===t)return t?[{kind:"\
same",text:t}]:[];let n=e.match(Fr)??[],o=t.match(Fr)??[],a=0;for(;a<n.length&&a<o.length&&n[a]===o[a];)a+=1;let i=0;for(;i<n.length-a&&i<o.length-a&&n.at(-1-i)===
o.at(-1-i);)i+=1;let s=[{kind:"same",text:o.slice(0,a).join("")}];return s.push(...ci(n.slice(a,n.length-i),o.slice(a,o.length-i))),s.push({kind:"same",text:o.slice(
o.length-i).join("")}),pi(s)}function ci(e,t){let n=[{kind:"gone",text:e.join("")},{kind:"new",text:t.join("")}];if(!e.length||!t.length||e.length>600||t.length>
600)return n;let o=di(e,t),a=t.length+1,i=[],s=0,l=0;for(;s<e.length||l<t.length;)s<e.length&&l<t.length&&e[s]===t[l]?(i.push({kind:"same",text:t[l]}),s+=1,l+=1):
l>=t.length||s<e.length&&rt(o,(s+1)*a+l)>=rt(o,s*a+l+1)?(i.push({kind:"gone",text:e[s]}),s+=1):(i.push({kind:"new",text:t[l]}),l+=1);return i}function di(e,t){let n=t.
length+1,o=new Uint16Array((e.length+1)*n);for(let a=e.length-1;a>=0;a-=1)for(let i=t.length-1;i>=0;i-=1)o[a*n+i]=e[a]===t[i]?rt(o,(a+1)*n+i+1)+1:Math.max(rt(o,
(a+1)*n+i),rt(o,a*n+i+1));return o}function rt(e,t){return e[t]??0}function pi(e){let t=[],n="",o="",a=()=>{n&&t.push({kind:"gone",text:n}),o&&t.push({kind:"new",
text:o}),n=o=""};return e.forEach((i,s)=>{if(i.text)if(i.kind==="gone")n+=i.text;else if(i.kind==="new")o+=i.text;else if(!i.text.trim()&&n&&o&&e[s+1]&&e[s+1]?.
kind!=="same")n+=i.text,o+=i.text;else{a();let l=t.at(-1);l?.kind==="same"?l.text+=i.text:t.push({kind:"same",text:i.text})}}),a(),t}function ot(e){let{label:t,text:n,before:o}=e;return!n&&!o?null:o!==void 0&&n===o?r("details",{class:"field field-folded",children:[r("summary",{children:[r("sp\
an",{class:"field-label",children:t}),r("span",{class:"field-hint",children:"as before"}),r("span",{class:"field-peek clip",children:n})]}),r(V,{children:n})]}):
r(at,{label:t,hint:o===void 0?void 0:o?n?"changed":"removed":"new",children:r(V,{children:o?r(ui,{before:o,after:n}):n})})}function at(e){return r("section",{class:"\
field",children:[r("h3",{class:"field-label",children:[e.label,e.hint&&r("span",{class:"field-hint field-hint-new",children:e.hint})]}),e.children]})}function ui({
before:e,after:t}){let n=L(()=>Or(e,t),[e,t]);return r(w,{children:n.map((o,a)=>o.kind==="same"?r("span",{children:o.text},a):o.kind==="new"?r("ins",{children:o.
text},a):r("del",{children:o.text},a))})}function V({children:e,class:t=""}){let n=M(null),[o,a]=v(!1),[i,s]=v(!1);return Q(()=>{let l=n.current;!l||i||a(l.scrollHeight>
l.clientHeight+4)}),r(w,{children:[r("div",{ref:n,class:`long-text said ${i?"":"long-text-cut"} ${t}`,dir:"auto",children:e}),(o||i)&&r("button",{type:"button",
class:"long-text-more","aria-expanded":i,onClick:()=>s(!i),children:i?"Show less":"Show all"})]})}function At(e){let{ending:t,verified:n,unmet:o}=e.episode;return K(e)?t==="cancelled"?"cancelled":n===!0&&!e.unexpected_changes.length?"done":n===!1||e.unexpected_changes.
length||t!=="finished"?"failed":o?.length?"undecided":"done":"running"}function Br(e){let t=At(e);return t!=="failed"&&t!=="undecided"?null:{headline:mi(e,t),lines:fi(
e)}}function mi(e,t){let{ending:n,verified:o,unmet:a}=e.episode,i=Rr(n??"");if(t==="undecided")return"Nobody could tell whether the task is done: its check was \
not answered.";if(String(n)===xn)return`Nobody knows whether the task was done: ${i}.`;if(n==="finished")return o===!1?"The agent said that the task is done, bu\
t the task's check does not hold.":"The agent said that the task is done, but it also changed what it must not change.";let s=a?.length&&n!=="step_limit"?" The \
task's check does not hold.":"";return`The episode ended before the task was done: ${i}.${s}`}function fi(e){let{reason:t,unmet:n,ending:o}=e.episode,a=[];o!=="\
finished"&&t&&a.push({label:"Reason",text:t});let i=Re(e),s=i===null?void 0:e.steps[i];if(s){let l=wn(s)[0];l&&l.text!==t&&a.push({label:`Step ${s.step}`,text:`${ne(
s)}: ${l.text}`,step:s.step})}for(let l of n??[])a.push({label:"Expected",text:l.expected},{label:"Found",text:l.found});for(let l of e.judged)l.verdict!=="yes"&&
a.push({label:`Judge: ${l.verdict??"no answer"}`,text:l.reason});for(let l of e.unexpected_changes)a.push({label:"Not allowed",text:hi(l)});return a}function hi(e){
return e.before==null?`${e.path}: added ${e.after??""}`:e.after==null?`${e.path}: removed ${e.before}`:`${e.path}: ${e.before} became ${e.after}`}function Re(e){
let t=At(e),{steps:n}=e;if(t!=="failed"&&t!=="undecided"||!n.length)return null;let o=it(e)??-1,a=n.findIndex((s,l)=>l>o&&vi(s));if(a>=0)return a;let i=n.findLastIndex(
s=>gi(s,e));return i>=0?i:n.length-1}function gi(e,t){return e.typed_text.split(`
`).map(o=>o.trim()).filter(Boolean).some(o=>(t.episode.unmet??[]).some(a=>a.expected.includes(o)&&!a.found.includes(o)))}function it(e,t=e.steps.length){for(let n=t-
1;n>=0;n-=1){let o=e.steps[n];if(o?.outcome==="A"&&!o.problem)return n}return null}function vi(e){return e.outcome==="B"||e.outcome==="C"||!!e.problem||e.failures.
length>0}function wn(e){let t=[],n=new Set,o=(a,i,s)=>{s&&n.has(s)||(n.add(s),t.push({tone:a,title:i,text:s}))};for(let a of e.failures)o("bad","A stage gave no\
 result",a);if(e.problem&&o("bad",e.action?"The action was not carried out":"There is no action",e.problem),e.outcome==="B"||e.outcome==="C"){let a=`After the a\
ction: ${Me[e.outcome]}`;n.has(e.error)||o(e.outcome==="B"?"bad":"warn",a,e.error)}if(e.wrong_page!=null){let a=e.went_back===!1?"Going back did not lead to the\
 page from before.":"The agent went back.";o("warn","The action led to a wrong page",a)}for(let a of e.findings)a.is_problem&&o("warn",`A problem of the stage ${a.
stage}`,a.text);for(let a of e.calls)a.error&&o("bad",`A call of the ${a.role} role failed`,a.error);for(let a of e.resumed)o("quiet","The episode was interrupt\
ed before this step and resumed",a);return t}var Pe=["side","slider","one"],De=["step","screen","timing","calls","log"],st={step:"Step",screen:"Screen",timing:"Timing",calls:"Model calls",log:"Log"};function Nr(e){
let{steps:t}=e,n=$("step"),o=n===""?-1:yi(t,Number(n)),a=o<0&&!K(e),i=o>=0?o:a?t.length-1:Re(e)??0,s=t[i];return s?{index:i,step:s,previous:t[i-1],next:t[i+1],count:t.
length,isFollowing:a,view:Ir(Pe,$("view"),"side"),face:$("face")==="after"?"after":"before",tab:Ir(De,$("tab"),"step"),boxes:$("boxes")==="1",changes:$("changes")!==
"0"}:null}function yi(e,t){if(!Number.isInteger(t))return-1;let n=0,o=e.length-1;for(;n<o;){let a=Math.ceil((n+o)/2);e[a].step<=t?n=a:o=a-1}return e.length?n:-1}
function Ir(e,t,n){return e.find(o=>o===t)??n}function ae(e,t){let n=e.steps[Math.min(Math.max(t,0),e.steps.length-1)];n&&P({step:n.step})}function Ft(e){return oe(
Ce.value.path,{...Ce.value.choices,step:e})}function Ot(){P({step:null})}function Bt(e){P({tab:e==="step"?null:e})}function It(e){P({view:e==="side"?null:e})}function Xr(e){
P({view:"one",face:e==="before"?null:e})}function He(e){P({boxes:e?1:null})}function Nt(e){P({changes:e?null:0})}function Jr({report:e}){let t=Br(e);return t?r("section",{class:"failure","aria-label":"Why it failed",children:[r("h2",{class:"failure-head",children:[r(b,{name:"\
warning"}),t.headline]}),r("dl",{class:"failure-lines",children:t.lines.map((n,o)=>r("div",{class:"failure-line",children:[r("dt",{children:n.step===void 0?n.label:
r("a",{href:Ft(n.step),children:n.label})}),r("dd",{children:r(V,{class:"failure-text",children:n.text})})]},o))})]}):null}var bi=new Intl.NumberFormat("en",{maximumFractionDigits:0}),Dr=new Intl.DateTimeFormat("en-GB",{hour:"2-digit",minute:"2-digit",second:"2-digit"}),xi=new Intl.
DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric"}),wi=new Intl.DateTimeFormat("en-GB",{timeZoneName:"short"}),pe="\u2013";function S(e){return e==
null?pe:bi.format(e).replace("-","\u2212")}function zr(e){if(e==null||Number.isNaN(e))return pe;let t=Math.abs(e),n=t>=100||t===0||Number.isInteger(e)?0:t>=10?1:
2;return e.toLocaleString("en",{maximumFractionDigits:n}).replace("-","\u2212")}function E(e){if(e==null||Number.isNaN(e))return pe;if(e<0)return"\u2212"+E(-e);
if(e===0)return"0\xA0s";if(e<.9995)return`${Math.max(1,Math.round(e*1e3))}\xA0ms`;if(e<9.95)return`${e.toFixed(1)}\xA0s`;let t=Math.round(e);if(t<60)return`${t}\
\xA0s`;if(t<3600)return _n(Math.floor(t/60),"min",t%60,"s");let n=Math.round(e/60);if(n<1440)return _n(Math.floor(n/60),"h",n%60,"min");let o=Math.round(e/3600);
return _n(Math.floor(o/24),"d",o%24,"h")}function _n(e,t,n,o){let a=`${e}\xA0${t}`;return n?`${a}\xA0${n}\xA0${o}`:a}function ue(e){if(e==null||Number.isNaN(e))
return pe;let t=e*100;return`${t!==0&&Math.abs(t)<9.95?_i(t.toFixed(1)):Math.round(t)}\xA0%`}function _i(e){return e.replace(/\.0$/,"")}function U(e){if(e==null)
return pe;for(let[t,n]of[[1e9,"G"],[1e6,"M"],[1e3,"k"]])if(e>=t*.9995)return`${zr(Number((e/t).toPrecision(3)))}\xA0${n}`;return zr(e)}function qe(e){return e==null?pe:Dr.format(e*1e3)}function Xt(e){return e==null?pe:`${xi.format(e*1e3)}, ${Dr.format(e*1e3)}`}function Jt(e){return wi.formatToParts(
e*1e3).find(t=>t.type==="timeZoneName")?.value??""}function D(e,t,n=`${t}s`){return`${S(e)}\xA0${e===1?t:n}`}var Hr=[.5,1,2,4,8],ki=1400;function qr(e,t){let[n,o]=v(!1),[a,i]=v(1),s=t?.index??0,l=e.steps.length-1;return T(()=>{if(!n)return;if(s>=l){o(!1);return}let u=setTimeout(
()=>ae(e,s+1),ki/a);return()=>clearTimeout(u)},[n,a,s,l]),{isPlaying:n,speed:a,toggle:()=>{!n&&s>=l&&ae(e,0),o(!n&&l>0)},setSpeed:i}}function Wr({report:e,film:t,player:n}){let o=Re(e),a=o===null?null:it(e,o),i=s=>ae(e,s);return r("div",{class:"controls",role:"group","aria-label":"Film",children:[
r("div",{class:"controls-play",children:[r(_,{icon:"first",kind:"quiet",label:"First step (Home)",disabled:t.index===0,onClick:()=>i(0)}),r(_,{icon:"left",kind:"\
quiet",label:"Step before (\u2190)",disabled:t.index===0,onClick:()=>i(t.index-1)}),r(_,{icon:n.isPlaying?"pause":"play",kind:"primary",label:n.isPlaying?"Pause\
 (Space)":"Play (Space)",onClick:n.toggle}),r(_,{icon:"right",kind:"quiet",label:"Next step (\u2192)",disabled:t.index>=t.count-1,onClick:()=>i(t.index+1)}),r(_,
{icon:"last",kind:"quiet",label:"Last step (End)",disabled:t.index>=t.count-1,onClick:()=>i(t.count-1)}),r("select",{class:"controls-speed","aria-label":"Speed",
value:String(n.speed),onChange:s=>n.setSpeed(Number(s.currentTarget.value)),children:Hr.map(s=>r("option",{value:String(s),children:[s,"\xD7"]},s))})]}),r(Ei,{report:e,
film:t}),r("span",{class:"controls-count",children:["Step ",r("strong",{children:S(t.step.step)}),r("span",{class:"faint",children:[" of ",S(t.count)]})]}),r("d\
iv",{class:"controls-jumps",children:[o!==null&&r(_,{title:"To the failure (F)",onClick:()=>i(o),disabled:o===t.index,children:[r(b,{name:"warning"})," To the f\
ailure"]}),a!==null&&r(_,{title:"To the last action that was as expected (G)",onClick:()=>i(a),disabled:a===t.index,children:[r(b,{name:"check"})," Last good st\
ep"]}),!K(e)&&r(_,{pressed:t.isFollowing,title:"Follow the newest step (L)",onClick:Ot,children:[r("span",{class:`live-dot${t.isFollowing?" live-dot-on":""}`}),
" Follow"]})]})]})}var Si={A:5,B:16,C:11,none:3};function Ei({report:e,film:t}){let{steps:n}=e,o=Math.max(1,n.length);return r("div",{class:"line",style:{maxWidth:`${n.
length*48}px`},children:[r("svg",{class:"line-verdicts",viewBox:`0 0 ${o} 16`,preserveAspectRatio:"none","aria-hidden":"true",children:[["A","B","C","none"].map(
a=>r("path",{class:`line-${a}`,d:Ti(n,a)},a)),r("rect",{class:"line-now",x:t.index,width:1,y:0,height:16})]}),r("input",{class:"line-input",type:"range",min:0,max:Math.
max(0,n.length-1),value:t.index,"aria-label":"Step","aria-valuetext":`Step ${t.step.step} of ${n.length}`,onInput:a=>ae(e,Number(a.currentTarget.value))})]})}function Ti(e,t){
let n=e.length>300?0:.12,o=Si[t],a="";return e.forEach((i,s)=>{(i.outcome??"none")===t&&(a+=`M${s+n} 16h${1-2*n}v-${o}h-${1-2*n}z`)}),a}function A(e){return r("span",{class:`badge badge-${e.tone??"quiet"}`,title:e.title,children:[e.icon&&r(b,{name:e.icon,size:12}),e.children]})}var Ci={A:{tone:"\
good",icon:"check",words:"as expected"},B:{tone:"bad",icon:"cross",words:"wrong page"},C:{tone:"warn",icon:"minus",words:"no change"}};function zt({verdict:e,short:t}){
let n=e?Ci[e]:void 0;return n?r(A,{tone:n.tone,icon:n.icon,title:`${e}: ${n.words}`,children:[t?e:n.words,t&&r("span",{class:"unseen",children:[": ",n.words]})]}):
r(A,{tone:"quiet",children:e||"no verdict"})}var Mi={running:{tone:"accent",icon:"play",words:"running"},done:{tone:"good",icon:"check",words:"done"},failed:{tone:"bad",icon:"cross",words:"failed"},undecided:{
tone:"warn",icon:"info",words:"undecided"},cancelled:{tone:"quiet",icon:"stop",words:"cancelled"}};function Vr({report:e,tools:t}){let{episode:n}=e,o=Mi[At(e)];
return r("header",{class:"film-head",children:[r("div",{class:"film-title",children:[r(A,{tone:o.tone,icon:o.icon,children:o.words}),r("h1",{children:r(V,{class:"\
film-goal",children:n.goal})}),t&&r("div",{class:"film-tools",children:t})]}),r(Ri,{report:e}),n.answer!=null&&r("p",{class:"film-answer",children:[r("span",{class:"\
quiet",children:"Answer"}),r("span",{class:"said",children:n.answer})]}),r($i,{report:e})]})}function Ri({report:e}){let{episode:t,steps:n}=e,o=i=>n.reduce((s,l)=>s+
l[i],0),a=t.ended_at==null?null:t.ended_at-t.started_at;return r("dl",{class:"film-facts",children:[r(G,{name:"Task",children:[r("bdi",{children:t.task}),t.attempt>
1&&`, attempt ${t.attempt}`]}),t.ending&&r(G,{name:"Ending",children:Pr(t.ending)}),t.verified!=null&&r(G,{name:"Check",children:[t.verified?"holds":"does not h\
old",t.verified_by==="judge"&&", by a judge"]}),t.phone&&r(G,{name:"Phone",children:r("bdi",{children:t.phone})}),r(G,{name:"Steps",children:[S(n.length),e.max_steps!=
null&&` of at most ${e.max_steps}`]}),a!==null&&r(G,{name:"Time",children:E(a)}),r(G,{name:"Model",children:[D(o("model_calls"),"call"),", ",U(o("input_tokens")),
" tokens in,"," ",U(o("output_tokens"))," out"]}),r(G,{name:"Began",children:[Xt(t.started_at)," ",Jt(t.started_at)]}),(t.resumed??0)>0&&r(G,{name:"Resumed",children:D(
t.resumed??0,"time")}),(t.damaged??0)>0&&r(G,{name:"Journal",children:[D(t.damaged??0,"place")," cannot be read"]})]})}function G({name:e,children:t}){return r(
"div",{class:"film-fact",children:[r("dt",{children:e}),r("dd",{class:"said",children:t})]})}var Pi={given:"given",added:"taught",changed:"changed",removed:"rem\
oved"};function $i({report:e}){let{episode:t}=e;return r("details",{class:"film-details",children:[r("summary",{children:[r(b,{name:"right",size:12})," More abo\
ut this episode"]}),r("dl",{class:"film-facts",children:[r(G,{name:"Episode",children:r("bdi",{class:"mono",children:t.id})}),e.batch&&r(G,{name:"Batch",children:e.
batch}),r(G,{name:"Profile",children:t.profile}),e.schedule&&r(G,{name:"Schedule",children:e.schedule}),e.apps.length>0&&r(G,{name:"Apps",children:e.apps.join("\
, ")}),e.tags.length>0&&r(G,{name:"Tags",children:e.tags.join(", ")})]}),t.answer_data!=null&&r("pre",{class:"said film-data",children:JSON.stringify(t.answer_data,
null,2)}),e.judged.map((n,o)=>r("p",{class:"film-judged",children:[r(A,{tone:n.verdict==="yes"?"good":n.verdict==="no"?"bad":"warn",children:["judge: ",n.verdict??
"no answer"]})," ",r("span",{class:"said",children:n.statement})," ",r("span",{class:"said quiet",children:n.reason})]},o)),e.lesson_problem&&r("p",{class:"said",
children:["Nothing was learned: ",e.lesson_problem]}),e.lessons.length>0&&r("ul",{class:"film-lessons",children:e.lessons.map((n,o)=>r("li",{children:[r(A,{tone:n.
way==="given"?"quiet":"accent",children:[n.kind,", ",Pi[n.way]]}),r(V,{children:n.text||n.id})]},o))})]})}var $e=ee([]);function ie(e,t){let n=M(t);n.current=t;let o=t.map(a=>`${a.key} ${a.does}`).join(`
`);T(()=>{let a={title:e,keys:n.current.map((i,s)=>({...i,run:()=>n.current[s]?.run()}))};return $e.value=[...$e.value,a],()=>{$e.value=$e.value.filter(i=>i!==a)}},
[e,o])}function Li(e){return e instanceof HTMLElement?e instanceof HTMLInputElement?!["checkbox","radio","button","range"].includes(e.type):e instanceof HTMLTextAreaElement||
e instanceof HTMLSelectElement||e.isContentEditable:!1}addEventListener("keydown",e=>{if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||Li(e.target)||document.
querySelector("dialog[open]"))return;let t=e.shiftKey&&e.key.length>1?`Shift+${e.key}`:e.key;if(!((t===" "||t==="Enter")&&e.target instanceof HTMLElement&&e.target.
closest("button, a, summary, input")))for(let n of[...$e.value].reverse()){let o=n.keys.find(a=>a.key===t);if(o){e.preventDefault(),o.run();return}}});function Ur(e,t,n){ie("Film",t?Ai(e,t,n):[])}function Ai(e,t,n){let o=l=>()=>{l!==null&&ae(e,l)},a=Re(e),i=[{key:"ArrowRight",does:"next step",run:o(t.index+1)},
{key:"ArrowLeft",does:"step before",run:o(t.index-1)},{key:"Home",does:"first step",run:o(0)},{key:"End",does:"last step",run:o(t.count-1)},{key:" ",does:"play \
or pause",run:n.toggle},{key:"f",does:"to the failure",run:o(a)},{key:"g",does:"to the last action that was as expected",run:o(it(e,a??t.count))},{key:"l",does:"\
follow the newest step",run:()=>!K(e)&&Ot()},{key:"c",does:"flip between before and after",run:()=>Xr(t.view==="one"&&t.face==="before"?"after":"before")},{key:"\
v",does:"side by side, slider, one screen",run:()=>It(Pe[(Pe.indexOf(t.view)+1)%Pe.length]??"side")},{key:"b",does:"boxes of what was read",run:()=>He(!t.boxes)},
{key:"d",does:"mark what changed",run:()=>Nt(!t.changes)}],s=De.map((l,c)=>({key:String(c+1),does:`show ${st[l].toLowerCase()}`,run:()=>Bt(l)}));return[...i,...s]}function Dt(e){let{tabs:t,current:n,onChange:o}=e,a=i=>{let s=t.findIndex(u=>u.id===n),l={ArrowRight:s+1,ArrowLeft:s-1,Home:0,End:t.length-1}[i.key],c=l===void 0?
void 0:t[(l+t.length)%t.length];c&&(i.preventDefault(),i.stopPropagation(),o(c.id),i.currentTarget.querySelector(`[data-tab="${CSS.escape(c.id)}"]`)?.focus())};
return r("div",{class:"tabs",role:"tablist","aria-label":e.label,onKeyDown:a,children:t.map(i=>r("button",{type:"button",class:"tab",role:"tab","data-tab":i.id,
"aria-selected":i.id===n,"aria-controls":i.id===n?e.panel:void 0,tabIndex:i.id===n?0:-1,onClick:()=>o(i.id),children:[i.title,i.count!==void 0&&r("span",{class:"\
tab-count",children:S(i.count)})]},i.id))})}var Fi=1600;function Le(e){let[t,n]=v("");T(()=>{if(!t)return;let a=setTimeout(()=>n(""),Fi);return()=>clearTimeout(a)},[t]);let o=async()=>n(await Oi(e.text())?
"copied":"failed");return r(w,{children:[r(_,{icon:t==="copied"?"check":t==="failed"?"warning":"copy",label:e.label,kind:e.kind??"quiet",onClick:()=>{o()},children:e.
children&&(t==="copied"?"Copied":t==="failed"?"Not copied":e.children)}),r("span",{class:"unseen",role:"status",children:t})]})}async function Oi(e){try{return await navigator.
clipboard.writeText(e),!0}catch{let t=document.createElement("textarea");t.value=e,t.className="unseen",(document.querySelector("dialog[open]")??document.body).
append(t),t.select();let n=document.execCommand("copy");return t.remove(),n}}var Ht="manyhands:",Bi=/^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;function Kr(e){return jr(e.messages).flatMap(t=>{let{role:n,content:o}=kn(t),a=typeof n==
"string"?n:"message";return typeof o=="string"?Yr(a,o):jr(o).flatMap(i=>Ii(a,kn(i)))})}function Gr(e){return Object.entries(e).filter(([t])=>t!=="messages").map(
([t,n])=>[t,typeof n=="string"?n:JSON.stringify(n,null,2)??""])}function Ii(e,t){let n=Ni(t);return n?[{title:"Picture",role:e,text:"",picture:n}]:typeof t.text==
"string"?Yr(e,t.text):[{title:String(t.type??"part"),role:e,text:JSON.stringify(t,null,2),picture:""}]}function Ni(e){let t=kn(e.image_url).url;return typeof t==
"string"&&t.startsWith(Ht)?t.slice(Ht.length):""}function Yr(e,t){let n=[],o="",a=[],i=()=>{let s=a.join(`
`).trim();(o||s)&&n.push({title:o||"Opening",role:e,text:s,picture:""}),a=[]};for(let s of t.split(`
`)){let l=Bi.exec(s);l?(i(),o=(l[1]??l[2]??"").trim()):a.push(s)}return i(),n}function jr(e){return Array.isArray(e)?e:[]}function kn(e){return typeof e=="objec\
t"&&e!==null?e:{}}function Zr(e){try{let t=JSON.parse(e);return typeof t!="object"||t===null||Array.isArray(t)?null:Object.entries(t).map(([n,o])=>[n,typeof o==
"string"?o:JSON.stringify(o,null,2)])}catch{return null}}var eo=/^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;function to(e,t){let n=Xi(JSON.stringify(t)),o=["# The key of the server, if it \
asks for one: export MANYHANDS_API_KEY=..."];n.length>1&&o.push("# The folder with the run's screens:",'SCREENS="${SCREENS:-screens}"');for(let a of n){let i=eo.
exec(a.picture)?.[2];i&&o.push(`# ${a.picture}.png is made from a screen (${i.split("-")[0]??""}): save it from the page.`)}o.push("{");for(let a of n)a.picture&&
o.push(`  base64 < "$SCREENS/${Ji(a.picture)}" | tr -d '\\n'`),o.push(`  printf %s ${Qr(a.text)}`);return o.push("} | curl --silent --show-error \\","  -H 'Cont\
ent-Type: application/json' \\",'  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',`  --data-binary @- ${Qr(zi(e))}`),`${o.join(`
`)}
`}function Xi(e){let[t="",...n]=e.split(`"url":"${Ht}`),o=[{picture:"",text:t}];for(let a of n){let i=a.indexOf('"'),s=o.pop();o.push({picture:s.picture,text:`${s.
text}"url":"data:image/png;base64,`}),o.push({picture:a.slice(0,i),text:a.slice(i)})}return o}function Ji(e){return`${eo.test(e)?e:"picture"}.png`}function zi(e){
let t=[...e].map(n=>n<" "||n==="\x7F"?"":n).join("");return/\/(chat\/)?completions$/.test(t)?t:`${t.replace(/\/+$/,"")}/chat/completions`}function Qr(e){return`\
'${e.replaceAll("'","'\\''")}'`}var Di=/^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;function no({picture:e,source:t}){let n=Di.exec(e),o=n?.[1]??
e,a=t.pictureUrl(o,"full"),i=n?.slice(2).map(Number)??[],s=n?.[2]!==void 0;return r("figure",{class:"prompt-picture",children:[a?s?r(Hi,{url:a,numbers:i}):r("a",
{href:a,target:"_blank",rel:"noreferrer",title:"Open the picture",children:r("img",{src:a,alt:"Screen shown to the model",loading:"lazy",decoding:"async"})}):r(
"p",{class:"quiet",children:"This report was made without screens."}),r("figcaption",{class:"faint",children:[s?"A part of a screen":n?"A screen, half as wide":
"A screen"," ",r("span",{class:"mono said",children:e.slice(0,8)})]})]})}function Hi({url:e,numbers:t}){let[n=0,o=0,a=1,i=1,s=0,l=0,c=1,u=1,d=0]=t,h=Math.max(1,
a-n),m=Math.max(1,i-o);return r("svg",{class:"prompt-crop",viewBox:`${n} ${o} ${h} ${m}`,role:"img","aria-label":`Part ${d} of a screen, shown to the model`,children:[
r("image",{href:e,x:0,y:0}),r("rect",{x:s,y:l,width:c-s,height:u-l,class:"prompt-crop-box"}),r("text",{x:s+4,y:l+26,class:"prompt-crop-number",children:d})]})}var qi=700;function ro(e){let{call:t,content:n,source:o}=e,a=L(()=>Kr(n.request),[n]),i=L(()=>Gr(n.request),[n]),[s,l]=v(null);return r(w,{children:[r("section",
{"aria-label":"Reply",children:[r("div",{class:"call-part-head",children:[r("h3",{children:"Reply"}),n.reply!=null&&r(Le,{label:"Copy the reply",text:()=>n.reply??
"",children:"Copy"})]}),n.reply==null?r("p",{class:"quiet",children:"The model gave no reply."}):r(Wi,{reply:n.reply})]}),r("section",{"aria-label":"Prompt",children:[
r("div",{class:"call-part-head",children:[r("h3",{children:"Prompt"}),r(_,{kind:"quiet",onClick:()=>l(s!==!0),children:s===!0?"Fold long ones":"Open all"}),r(Le,
{label:"Copy as curl",kind:"plain",text:()=>to(t.server,n.request),children:"Copy as curl"})]}),a.length?r("ol",{class:"prompt",children:a.map((c,u)=>r(Vi,{section:c,
source:o,isOpen:s??c.text.length<=qi,isNewRole:a[u-1]?.role!==c.role},`${u} ${String(s)}`))}):r("p",{class:"quiet",children:"The request was not recorded."}),i.
length>0&&r("details",{class:"prompt-section",children:[r("summary",{children:"Settings of the request"}),r("dl",{class:"prompt-settings",children:i.map(([c,u])=>r(
"div",{children:[r("dt",{class:"mono",children:c}),r("dd",{class:"mono said",children:u})]},c))})]})]})]})}function Wi({reply:e}){let t=Zr(e);return t?.length?r(
"dl",{class:"call-reply",tabIndex:0,"aria-label":"Parts of the reply",children:t.map(([n,o])=>r("div",{class:"call-reply-part",children:[r("dt",{class:"mono sai\
d",children:n}),r("dd",{class:"said",dir:"auto",children:o})]},n))}):r("pre",{class:"said call-reply",dir:"auto",tabIndex:0,role:"group","aria-label":"Text of t\
he reply",children:e})}function Vi(e){let{section:t}=e;return r("li",{children:[e.isNewRole&&r("span",{class:"prompt-role",children:t.role}),t.picture?r(no,{picture:t.
picture,source:e.source}):r("details",{class:"prompt-section",open:e.isOpen,children:[r("summary",{children:[r("bdi",{class:"clip",children:t.title}),r("span",{
class:"faint",children:[U(t.text.length)," letters"]})]}),r("div",{class:"prompt-text said",dir:"auto",tabIndex:0,role:"group","aria-label":t.title,children:t.text})]})]})}function oo({film:e,source:t}){let{step:n}=e,[o,a]=v(null),[i,s]=v(0),l=n.calls.length;if(T(()=>{if(!l)return;let d=!0;return t.loadCalls(n.step).then(h=>d&&a({
step:n.step,calls:h,error:""}),h=>d&&a({step:n.step,calls:null,error:String(h instanceof Error?h.message:h)})),()=>{d=!1}},[n.step,l,t,i]),!l)return r(X,{icon:"\
bolt",title:"No model was asked",children:"This step made no call of a model."});let c=o?.step===n.step?o:null,u=$("call");return r("div",{class:"calls",children:[
c?.error&&r("p",{class:"calls-error",role:"alert",children:["The texts of the calls could not be loaded: ",r("span",{class:"said",children:c.error})," ",r(_,{icon:"\
retry",onClick:()=>s(i+1),children:"Try again"})]}),r("ol",{class:"call-list",children:n.calls.map(d=>r(Ui,{call:d,loaded:c,source:t,isOpen:u===String(d.number)||
u===""&&l===1},d.number))})]})}function Ui(e){let{call:t,isOpen:n}=e,o=e.loaded?.calls?.calls.find(a=>a.number===t.number);return r("li",{class:`call${t.is_dropped?
" call-dropped":""}`,children:[r("button",{type:"button",class:"call-head","aria-expanded":n,onClick:()=>P({call:n?"none":t.number}),children:[r(b,{name:n?"down":
"right",size:12}),r("span",{class:"call-role",children:Lt(t.role)}),r("span",{class:"call-marks",children:[t.is_repair&&r(A,{tone:"warn",title:"The model was as\
ked again because its answer was invalid.",children:"repair"}),t.is_dropped&&r(A,{title:"Its result was not used.",children:"dropped"}),t.attempts>1&&r(A,{tone:"\
warn",children:["sent ",t.attempts," times"]}),t.error&&r(A,{tone:"bad",icon:"warning",children:"failed"})]}),r("span",{class:"call-numbers",children:[r(qt,{name:"\
in",value:U(t.input_tokens)}),r(qt,{name:"cached",value:ue(t.input_tokens?t.cached_tokens/t.input_tokens:null)}),r(qt,{name:"out",value:U(t.output_tokens)}),r(qt,
{name:"took",value:E(t.latency_ms/1e3)})]})]}),t.error&&r(V,{class:"call-error",children:t.error}),n&&r("div",{class:"call-body",children:[r("p",{class:"call-wh\
ere faint",children:[r("bdi",{class:"clip mono",title:t.model,children:t.model||"model unknown"}),r("span",{children:"at"}),r("bdi",{class:"clip mono",title:t.server,
children:t.server}),t.queue_ms>=1&&`after ${E(t.queue_ms/1e3)} in our queue`]}),o?r(ro,{call:t,content:o,source:e.source}):r("p",{class:"quiet",children:e.loaded?
"The request was not recorded.":"Loading\u2026"})]})]})}function qt({name:e,value:t}){return r("span",{class:"call-number",children:[r("span",{class:"faint",children:e}),
" ",t]})}var ji=/^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/,Ki=/^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
function io(e,t){let n=[];for(let o of e.split(`
`)){let a=o.replace(/\r$/,"");a&&n.push(Gi(a,t,n.at(-1)?.at??null))}return n}function Gi(e,t,n){let o=ji.exec(e);if(o)return{at:Number(o[1]),level:o[2]??"",tag:o[3]??
"",text:o[4]??""};let a=Ki.exec(e);if(!a)return{at:n,level:"",tag:"",text:e};let[,i,s,l,c,u,d,h="",m="",p=""]=a;return{at:new Date(Number(i??new Date(t*1e3).getFullYear()),
Number(s)-1,Number(l),Number(c)).getTime()/1e3+Number(u)*60+Number(d),level:h,tag:m,text:p}}function so(e,t,n){return e.filter(o=>o.at!==null&&o.at>=t&&(n===null||
o.at<n))}var ao="VDIWEF";function lo(e,t,n){let o=Math.max(0,ao.indexOf(t)),a=n.trim().toLowerCase();return e.filter(i=>i.level&&ao.indexOf(i.level==="A"?"F":i.
level)<o?!1:!a||i.tag.toLowerCase().includes(a)||i.text.toLowerCase().includes(a))}var Yi=500,Zi=600,Qi=[["V","all levels"],["I","info and worse"],["W","warnings and worse"],["E","errors"]];function co(e){let{report:t,film:n,source:o}=e,[a,i]=v(
null),[s,l]=v(Yi),c=t.has_log?o.loadLog:void 0;T(()=>{if(!c)return;let f=!0;return c().then(g=>f&&i(io(g,t.episode.started_at)),g=>f&&i(String(g instanceof Error?
g.message:g))),()=>{f=!1}},[c,t.steps.length]);let u=$("find"),d=$("level","V"),[h,m]=es(n.step,n.next),p=L(()=>Array.isArray(a)&&h!==null?lo(so(a,h,m),d,u):[],
[a,h,m,d,u]);return c?typeof a=="string"?r(X,{icon:"warning",title:"The log could not be loaded",children:r("span",{class:"said",children:a})}):r("div",{class:"\
log",children:[r("div",{class:"log-head",children:[r("input",{class:"field-input",type:"search",placeholder:"Find in tags and texts","aria-label":"Find in the l\
og",value:u,onInput:f=>P({find:f.currentTarget.value})}),r("select",{class:"field-input","aria-label":"Level",value:d,onChange:f=>P({level:f.currentTarget.value===
"V"?null:f.currentTarget.value}),children:Qi.map(([f,g])=>r("option",{value:f,children:g},f))}),r("span",{class:"faint",role:"status",children:a?D(p.length,"lin\
e"):"Loading\u2026"})]}),a&&!p.length&&r("p",{class:"quiet log-none",children:u||d!=="V"?"No line of this step fits.":"The phone wrote nothing during this step."}),
r("ol",{class:"log-lines",tabIndex:0,"aria-label":"Log lines of this step",children:p.slice(0,s).map((f,g)=>r("li",{class:`log-line log-${f.level||"none"}`,children:[
r("span",{class:"num faint",children:f.at===null||h===null?"":`+${(f.at-h).toFixed(3)}`}),r("span",{class:"log-level",children:f.level}),r("bdi",{class:"log-tag\
 clip",title:f.tag,children:f.tag}),f.text.length>Zi?r("div",{children:r(V,{children:f.text})}):r("span",{class:"said",children:f.text})]},g))}),p.length>s&&r(_,
{onClick:()=>l(s+2e3),children:["Show more of ",S(p.length)]})]}):r(X,{icon:"list",title:"No log was recorded",children:["Run with ",r("code",{children:"--logca\
t"})," to keep the phone's log beside the steps."]})}function es(e,t){let n=i=>[...i.stages.map(s=>s.start),i.taken_at??1/0],o=Math.min(...n(e)),a=t?Math.min(...n(
t)):1/0;return[Number.isFinite(o)?o:null,Number.isFinite(a)?a:null]}var me=ee(null);function Sn({elements:e,all:t}){let n=me.value,o=t?[...e].sort((a,i)=>po(i)-po(a)):e.filter(a=>a===n);return r("g",{class:"boxes",children:o.map(
(a,i)=>r("rect",{class:`box box-${a.kind}${a===n?" box-pointed":""}`,x:a.x1,y:a.y1,width:Math.max(1,a.x2-a.x1),height:Math.max(1,a.y2-a.y1),rx:6,onPointerEnter:()=>me.
value=a,onPointerLeave:()=>me.value=null},i))})}function po(e){return(e.x2-e.x1)*(e.y2-e.y1)}function En(e){let t=me.value;if(!t||!e.elements.includes(t))return null;
let[n,o]=e.size,a=t.y2>o*.8;return r("div",{class:"box-hint",style:{left:`${Math.min(70,100*t.x1/n)}%`,top:a?"auto":`${100*t.y2/o}%`,bottom:a?`${100-100*t.y1/o}\
%`:"auto"},children:[r("span",{class:"faint",children:t.kind})," ",r("bdi",{children:Tn(t)})]})}function Tn(e){return e.content||"(no name)"}function fo(e,t){let n=e.naturalWidth,o=e.naturalHeight;if(!n||!o||t.naturalWidth!==n||t.naturalHeight!==o)return null;let a=Math.min(180,n),i=Math.max(1,Math.round(
o*a/n)),s=uo(e,a,i),l=s&&uo(t,a,i);if(!s||!l)return null;let c=Math.ceil(a/4),u=Math.ceil(i/4),d=new Uint8Array(c*u);for(let f=0;f<i;f+=1)for(let g=0;g<a;g+=1){
let x=4*(f*a+g);ts(s,l,x)&&(d[Math.floor(f/4)*c+Math.floor(g/4)]=1)}let h=n/a*4,m=d.reduce((f,g)=>f+g,0),p=ns(d,c,u).map(f=>({x1:Math.round(f.x1*h),y1:Math.round(
f.y1*h),x2:Math.min(n,Math.round(f.x2*h)),y2:Math.min(o,Math.round(f.y2*h))}));return{places:go(p,0),share:m/d.length,by:"pixels"}}function ts(e,t,n){for(let o=0;o<
3;o+=1)if(Math.abs((e[n+o]??0)-(t[n+o]??0))>24)return!0;return!1}function uo(e,t,n){let o=document.createElement("canvas");o.width=t,o.height=n;let a=o.getContext(
"2d",{willReadFrequently:!0});if(!a)return null;try{return a.drawImage(e,0,0,t,n),a.getImageData(0,0,t,n).data}catch{return null}}function ns(e,t,n){let o=new Uint8Array(
e.length),a=[];for(let i=0;i<e.length;i+=1){if(!e[i]||o[i])continue;let s={x1:t,y1:n,x2:0,y2:0},l=[i];for(o[i]=1;l.length;){let c=l.pop(),u=c%t,d=Math.floor(c/t);
s.x1=Math.min(s.x1,u),s.y1=Math.min(s.y1,d),s.x2=Math.max(s.x2,u+1),s.y2=Math.max(s.y2,d+1);for(let h=Math.max(0,d-2);h<=Math.min(n-1,d+2);h+=1)for(let m=Math.max(
0,u-2);m<=Math.min(t-1,u+2);m+=1){let p=h*t+m;e[p]&&!o[p]&&(o[p]=1,l.push(p))}}a.push(s)}return a}var mo=12;function ho(e,t,n){let o=[...lt(e,t),...lt(t,e)],a=o.
reduce((i,s)=>i+(s.x2-s.x1)*(s.y2-s.y1),0);return{places:go(o,n[0]*rs),share:Math.min(1,a/Math.max(1,n[0]*n[1])),by:"elements"}}var rs=.05;function go(e,t){let n=[
...e];for(let o=-1;o!==n.length;){o=n.length;let a=[];for(let i of n){let s=a.findIndex(c=>os(c,i,t)),l=a[s];l?a[s]=as(l,i):a.push(i)}n=a}return n}function os(e,t,n){
return e.x1-n<t.x2&&t.x1-n<e.x2&&e.y1-n<t.y2&&t.y1-n<e.y2}function as(e,t){return{x1:Math.min(e.x1,t.x1),y1:Math.min(e.y1,t.y1),x2:Math.max(e.x2,t.x2),y2:Math.max(
e.y2,t.y2)}}function lt(e,t){let n=new Map;for(let o of t){let a=`${o.kind}:${o.content}`,i=n.get(a);i?i.push(o):n.set(a,[o])}return e.filter(o=>!n.get(`${o.kind}\
:${o.content}`)?.some(a=>is(o,a)))}function is(e,t){return Math.abs(e.x1-t.x1)<=mo&&Math.abs(e.y1-t.y1)<=mo}var ss=400;function yo({film:e}){let{step:t,next:n}=e,[o,a]=v(""),[i,s]=v(!1);if(!t.elements.length)return r(X,{icon:"screen",title:"Nothing was read",children:"\
Perception read no text and no icon at this step."});let l=o.trim().toLowerCase(),c=l?t.elements.filter(d=>d.content.toLowerCase().includes(l)):t.elements,u=i?c:
c.slice(0,ss);return r("div",{class:"screen-panel",children:[n&&n.screen===t.screen_after&&n.screen!==t.screen&&r(cs,{before:t.elements,after:n.elements}),r("di\
v",{class:"screen-panel-head",children:[r("h3",{children:[D(t.elements.length,"element")," read before the action"]}),r(_,{icon:"layers",pressed:e.boxes,title:"\
Boxes on the screen (B)",onClick:()=>He(!e.boxes),children:"Boxes"}),r("input",{class:"field-input",type:"search",placeholder:"Find a text","aria-label":"Find a\
 text on the screen",value:o,onInput:d=>a(d.currentTarget.value)})]}),r("ol",{class:"element-list",onPointerLeave:()=>me.value=null,children:u.map((d,h)=>r(ls,{
one:d,number:t.elements.indexOf(d)+1},h))}),!c.length&&r("p",{class:"quiet",children:"No element has this text."}),u.length<c.length&&r(_,{onClick:()=>s(!0),children:[
"Show all ",c.length]})]})}function ls({one:e,number:t}){let n=()=>{me.value=e};return r("li",{children:r("button",{type:"button",class:`element-line${me.value===
e?" element-pointed":""}`,onPointerEnter:n,onFocus:n,onBlur:()=>me.value=null,onClick:n,children:[r("span",{class:"num faint",children:t}),r("span",{class:`elem\
ent-kind element-${e.kind}`,children:e.kind}),r("bdi",{class:"element-text",children:Tn(e)}),r("span",{class:"num faint element-place",children:[e.x1,", ",e.y1,
" \u2013 ",e.x2,", ",e.y2]})]})})}function cs(e){let t=a=>[...new Set(a.map(i=>i.content).filter(Boolean))],n=t(lt(e.before,e.after)),o=t(lt(e.after,e.before));
return!n.length&&!o.length?null:r("section",{class:"come-gone","aria-label":"What the action changed",children:[r(vo,{icon:"plus",title:"Came",texts:o,kind:"com\
e"}),r(vo,{icon:"minus",title:"Went",texts:n,kind:"gone"})]})}var Cn=24;function vo(e){let{texts:t}=e;return t.length?r("div",{children:[r("h3",{class:"come-gon\
e-title",children:[r(b,{name:e.icon,size:12})," ",e.title]}),r("ul",{class:"come-gone-texts",children:[t.slice(0,Cn).map(n=>r("li",{class:`come-gone-text come-g\
one-${e.kind}`,title:n,children:r("bdi",{children:n})},n)),t.length>Cn&&r("li",{class:"faint",children:["and ",t.length-Cn," more"]})]})]}):null}function bo(e,t){let n=["settle",...t,...e.map(o=>o.stage)];return[...new Set(n)].map(o=>({stage:o,bars:e.filter(a=>a.stage===o)})).filter(o=>o.bars.length>0)}function xo(e,t){
let n=Math.min(...e.map(c=>c.start)),o=Math.max(...e.map(c=>c.end)),a=Math.max(o-n,.001),i=t/a,s=ds(a/Math.max(2,Math.floor(t/90))),l=[];for(let c=0;c*s<=a;c+=1)
l.push({at:c*s,x:c*s*i});return{start:n,seconds:a,worked:e.reduce((c,u)=>c+u.end-u.start,0),perSecond:i,ticks:l,place:c=>(c-n)*i}}function ds(e){let t=10**Math.
floor(Math.log10(e));return([1,2,5,10].find(n=>n*t>=e)??10)*t}function Mn(e){let t=[`${e.stage}: ${E(e.end-e.start)}`];e.queue_ms>=1&&t.push(`of these ${E(e.queue_ms/
1e3)} in queues`);for(let[n,o]of e.away)t.push(`${E(o-n)} without a model server`);return e.assumed.length&&t.push(`began on an assumption about ${e.assumed.join(
" and ")}`),e.became==="dropped"&&t.push(`dropped${e.wrong?`, because ${e.wrong} did not end as assumed`:""}`),e.became==="discarded"&&t.push("discarded by an i\
nterruption"),e.became==="failed"&&t.push(`failed${e.error?`: ${e.error}`:""}`),t.join("; ")}var ct=30,Ae=18,dt=22,be=76,ps=12,wo=10;function _o(e){let{step:t}=e.film,n=M(null),[o,a]=v(640),[i,s]=v(null);if(T(()=>{let d=n.current;if(!d)return;let h=new ResizeObserver(
()=>a(d.clientWidth));return h.observe(d),()=>h.disconnect()},[t.stages.length>0]),T(()=>s(null),[t.step]),!t.stages.length)return r(X,{icon:"clock",title:"No s\
tage has ended yet",children:"The times of a step are known once its stages have run."});let l=bo(t.stages,e.report.stage_order),c=xo(t.stages,Math.max(120,o-be-
ps)),u=dt+l.length*ct+6;return r("div",{class:"gantt",ref:n,children:[r("p",{class:"gantt-sum",children:[r("strong",{children:E(c.seconds)})," from the first st\
age to the last one; together the stages worked"," ",r("strong",{children:E(c.worked)}),c.worked>c.seconds*1.02&&", so some ran beside each other","."]}),r("svg",
{class:"gantt-plot",width:o,height:u,role:"group","aria-label":"Stages of the step over time",children:[r(ms,{}),c.ticks.map(d=>r("g",{class:"gantt-tick","aria-\
hidden":"true",children:[r("line",{x1:be+d.x,x2:be+d.x,y1:dt-4,y2:u}),r("text",{x:be+d.x,y:dt-9,"text-anchor":d.x<10?"start":"middle",children:E(d.at)})]},d.at)),
l.map((d,h)=>r("g",{children:[r("text",{class:"gantt-name",x:be-10,y:dt+h*ct+ct/2+4,"text-anchor":"end","aria-hidden":"true",children:d.stage.length>wo?`${d.stage.
slice(0,wo-1)}\u2026`:d.stage}),d.bars.map((m,p)=>r(us,{bar:m,x:be+c.place(m.start),end:be+c.place(m.end),y:dt+h*ct+(ct-Ae)/2,perMs:c.perSecond/1e3,place:f=>be+
c.place(f),isPointed:m===i,onPoint:s},p))]},d.stage))]}),r("p",{class:"gantt-said",role:"status",children:i?Mn(i):"Point at a bar, or move to it by Tab, to read\
 its numbers."}),r(fs,{bars:t.stages}),r(hs,{bars:t.stages,start:c.start,pointed:i,onPoint:s})]})}function us(e){let{bar:t,x:n,y:o}=e,a=Math.max(3,e.end-n),i=Math.
min(a,t.queue_ms*e.perMs);return r("g",{class:`bar bar-${t.became} bar-stage-${t.stage}${t.assumed.length?" bar-assumed":""}${e.isPointed?" bar-pointed":""}`,tabIndex:0,
role:"img","aria-label":Mn(t),onFocus:()=>e.onPoint(t),onPointerEnter:()=>e.onPoint(t),children:[r("rect",{class:"bar-room",x:n-2,y:o-4,width:a+4,height:Ae+8}),
r("rect",{class:"bar-body",x:n,y:o,width:a,height:Ae,rx:3}),i>1&&r("rect",{class:"bar-queue",x:n,y:o,width:i,height:Ae,rx:3}),t.away.map(([s,l],c)=>r("rect",{class:"\
bar-away",x:e.place(s),y:o,width:Math.max(2,e.place(l)-e.place(s)),height:Ae},c)),t.became==="dropped"&&r("line",{class:"bar-strike",x1:n,x2:n+a,y1:o+Ae/2,y2:o+
Ae/2})]})}function ms(){return r("defs",{children:[r("pattern",{id:"gantt-queue",width:"6",height:"6",patternUnits:"userSpaceOnUse",patternTransform:"rotate(45)",
children:r("rect",{width:"3",height:"6",class:"pattern-queue"})}),r("pattern",{id:"gantt-away",width:"5",height:"5",patternUnits:"userSpaceOnUse",children:r("pa\
th",{d:"M0 0L5 5M5 0L0 5",class:"pattern-away"})})]})}function fs({bars:e}){let t=[e.some(n=>n.queue_ms>1)&&{kind:"queue",text:"waited in a queue"},e.some(n=>n.
assumed.length)&&{kind:"assumed",text:"began on an assumption"},e.some(n=>n.became==="dropped")&&{kind:"dropped",text:"dropped: the assumption was wrong"},e.some(
n=>n.became==="discarded")&&{kind:"dropped",text:"discarded by an interruption"},e.some(n=>n.became==="failed")&&{kind:"failed",text:"failed"},e.some(n=>n.away.
length)&&{kind:"away",text:"no model server answered"}].filter(n=>n!==!1);return t.length?r("ul",{class:"gantt-legend","aria-label":"Legend",children:t.map(n=>r(
"li",{children:[r("svg",{width:"22",height:"12","aria-hidden":"true",children:r("g",{class:`bar bar-legend-${n.kind} ${n.kind==="queue"||n.kind==="away"?"":`bar\
-${n.kind}`}`,children:[r("rect",{class:"bar-body",x:"1",y:"1",width:"20",height:"10",rx:"2"}),n.kind==="queue"&&r("rect",{class:"bar-queue",x:"1",y:"1",width:"\
20",height:"10",rx:"2"}),n.kind==="away"&&r("rect",{class:"bar-away",x:"1",y:"1",width:"20",height:"10"}),n.kind==="dropped"&&r("line",{class:"bar-strike",x1:"1",
x2:"21",y1:"6",y2:"6"})]})}),n.text]},n.text))}):null}function hs(e){return r("div",{class:"gantt-table-room",tabIndex:0,role:"group","aria-label":"Stages as a \
table",children:r("table",{class:"gantt-table",children:[r("thead",{children:r("tr",{children:[r("th",{scope:"col",children:"Stage"}),r("th",{scope:"col",class:"\
num",children:"Began"}),r("th",{scope:"col",class:"num",children:"Took"}),r("th",{scope:"col",class:"num",children:"In queues"}),r("th",{scope:"col",children:"R\
esult"})]})}),r("tbody",{children:e.bars.map((t,n)=>r("tr",{class:t===e.pointed?"gantt-row-pointed":"",onPointerEnter:()=>e.onPoint(t),children:[r("th",{scope:"\
row",class:"said",children:t.stage}),r("td",{class:"num",children:E(t.start-e.start)}),r("td",{class:"num",children:E(t.end-t.start)}),r("td",{class:"num",children:t.
queue_ms>=1?E(t.queue_ms/1e3):"\u2013"}),r("td",{children:[t.became,t.wrong&&`: ${t.wrong} ended otherwise`,t.assumed.length>0&&r("span",{class:"faint",children:[
" assumed ",t.assumed.join(", ")]}),t.error&&r(V,{class:"gantt-error",children:t.error})]})]},n))})]})})}function ko({report:e,film:t}){let{step:n,previous:o}=t,a=wn(n);return r("div",{class:"step-panel",children:[a.length>0&&r("ul",{class:"problems","aria-label":"\
Problems of this step",children:a.map((i,s)=>r("li",{class:`problem problem-${i.tone}`,children:[r(b,{name:i.tone==="quiet"?"info":"warning"}),r("div",{children:[
r("strong",{children:[i.title,"."]}),i.text&&r(V,{children:i.text})]})]},s))}),r(gs,{report:e,film:t}),n.thought&&r(at,{label:"Thought",children:r(V,{children:n.
thought})}),r(ot,{label:"Subgoal",text:n.subgoal,before:o?.subgoal}),r(ot,{label:"Plan",text:n.plan,before:o?.plan}),r(ot,{label:"Progress",text:n.progress,before:o?.
progress}),r(ot,{label:"Notes",text:n.notes,before:o?.notes}),n.findings.some(i=>!i.is_problem)&&r(at,{label:"What stages found",children:n.findings.map((i,s)=>!i.
is_problem&&r(V,{children:`${i.stage}: ${i.text}`},s))}),n.rubrics_held.length>0&&r(at,{label:"Milestones that held after the step",children:r("ul",{class:"step\
-rubrics",children:n.rubrics_held.map(i=>r("li",{children:[r(b,{name:o?.rubrics_held.includes(i)?"check":"plus",size:12}),r("span",{class:"said",children:i})]},
i))})}),r("p",{class:"step-facts faint",children:[n.model_calls," model ",n.model_calls===1?"call":"calls"," \xB7 ",U(n.input_tokens)," tokens in \xB7"," ",U(n.
output_tokens)," tokens out",n.app&&r(w,{children:[" \xB7 ",r("bdi",{class:"mono said",children:n.app})]})]})]})}function gs({report:e,film:t}){let{step:n}=t,o=!n.
action&&t.index===t.count-1&&!K(e);return r("section",{class:"action-card","aria-label":"Action",children:[r("div",{class:"action-card-head",children:[r("span",
{class:"action-card-words said",dir:"auto",children:o?"The step is under way":ne(n)}),n.by_person&&r(A,{tone:"accent",icon:"hand",title:"A person had taken the \
episode over.",children:r("bdi",{class:"clip",children:["by ",n.by_person]})}),n.outcome?r(zt,{verdict:n.outcome}):n.action&&r(A,{children:"no verdict"})]}),n.typed_text&&
r("p",{class:"action-card-row",children:[r("span",{class:"faint",children:"Typed"}),r("span",{class:"said",children:n.typed_text})]}),n.expectation&&r("p",{class:"\
action-card-row",children:[r("span",{class:"faint",children:"Expected"}),r("span",{class:"said",children:n.expectation})]})]})}function So(e){let{film:t}=e,n={screen:t.step.elements.length,calls:t.step.calls.length};return r("div",{class:"film-panel",children:[r("div",{class:"film-tabs",
children:r(Dt,{label:"About the step",panel:"film-tab-panel",current:t.tab,onChange:o=>Bt(De.find(a=>a===o)??"step"),tabs:De.map(o=>{let a=n[o];return{id:o,title:st[o],
...a?{count:a}:{}}})})}),r("div",{id:"film-tab-panel",class:"film-tab-panel",role:"tabpanel","aria-label":st[t.tab],tabIndex:0,children:r(vs,{...e})})]})}function vs({
report:e,film:t,source:n,live:o}){switch(t.tab){case"screen":return r(yo,{film:t});case"timing":return r(_o,{report:e,film:t,live:o});case"calls":return r(oo,{film:t,
source:n});case"log":return r(co,{report:e,film:t,source:n});default:return r(ko,{report:e,film:t})}}function Eo({screen:e,source:t}){let[n,o]=v([]),i=(e?[t.pictureUrl(e,"small"),t.pictureUrl(e,"full")]:[]).find(s=>s!==null&&!n.includes(s));return i?r("img",{src:i,
alt:"",loading:"lazy",decoding:"async",draggable:!1,onError:()=>o([...n,i])}):r(b,{name:"image"})}var ys=92,To=8,Co=6;function Mo(e){let{report:t,film:n,source:o}=e,{steps:a}=t,i=xs(a[0])+To,s=M(null),[l,c]=v({from:0,to:24}),[u,d]=v(null),h=()=>{let p=s.current;
if(!p)return;let f=Math.max(0,Math.floor(p.scrollLeft/i)-Co),g=Math.min(a.length,Math.ceil((p.scrollLeft+p.clientWidth)/i)+Co);c(x=>x.from===f&&x.to===g?x:{from:f,
to:g})};Q(()=>{let p=s.current;if(!p)return;let f=n.index*i-(p.clientWidth-i)/2,g=Math.abs(f-p.scrollLeft)>2*p.clientWidth;p.scrollTo({left:f,behavior:g||bs()?"\
instant":"smooth"}),h()},[n.index,a.length,i]),T(()=>{let p=new ResizeObserver(h);return s.current&&p.observe(s.current),()=>p.disconnect()},[a.length,i]);let m=(p,f)=>{
let g=f.getBoundingClientRect();d({index:p,left:g.left+g.width/2,top:g.bottom})};return r("div",{class:"strip",ref:s,onScroll:()=>{h(),d(null)},onPointerLeave:()=>d(
null),children:[r("ol",{class:"strip-track",style:{width:`${a.length*i}px`},"aria-label":"Steps",children:a.slice(l.from,l.to).map((p,f)=>{let g=l.from+f;return r(
"li",{class:"strip-place",style:{left:`${g*i}px`},"aria-setsize":a.length,"aria-posinset":g+1,children:r(ws,{step:p,source:o,width:i-To,isShown:g===n.index,onShow:()=>ae(
t,g),onPoint:x=>m(g,x)})},p.step)})}),u&&a[u.index]&&r(ks,{step:a[u.index],source:o,left:u.left,top:u.top})]})}function bs(){return matchMedia("(prefers-reduced\
-motion: reduce)").matches}function xs(e){let t=e?.width&&e.height?e.width/e.height:.45;return Math.round(Math.min(132,Math.max(42,ys*t)))}function ws(e){let{step:t,
source:n}=e,o=_s(t);return r("a",{class:`strip-step strip-${t.outcome??"none"}${e.isShown?" strip-shown":""}`,style:{width:`${e.width}px`},href:Ft(t.step),"aria\
-current":e.isShown?"step":void 0,onClick:a=>{a.ctrlKey||a.metaKey||a.shiftKey||a.button||(a.preventDefault(),e.onShow())},onPointerEnter:a=>a.pointerType==="mo\
use"&&e.onPoint(a.currentTarget),children:[r("span",{class:"strip-foot",children:[r("span",{class:"unseen",children:"Step "}),t.step,t.outcome&&r("span",{class:"\
strip-letter",children:[t.outcome,r("span",{class:"unseen",children:[": ",Me[t.outcome]]})]}),r("span",{class:"unseen",children:[". ",ne(t)]})]}),r("span",{class:"\
strip-picture",children:[r(Eo,{screen:t.screen,source:n}),o.length>0&&r("span",{class:"strip-marks",children:o.map(a=>r("span",{class:`strip-mark strip-mark-${a.
tone}`,title:a.text,children:r(b,{name:a.icon,size:10,label:a.text})},a.text))})]})]})}function _s(e){let t=[];return(e.failures.length||e.problem)&&t.push({icon:"\
warning",tone:"bad",text:"something failed"}),e.wrong_page!=null&&t.push({icon:"left",tone:"warn",text:"a wrong page, the agent went back"}),e.resumed.length&&t.
push({icon:"retry",tone:"accent",text:"interrupted and resumed"}),e.by_person&&t.push({icon:"hand",tone:"accent",text:"a person's action"}),t}function ks(e){let{
step:t,source:n}=e,o=t.screen?n.pictureUrl(t.screen,"full"):null,a=130;return r("div",{class:"strip-magnified",style:{left:`${Math.min(Math.max(e.left,a),innerWidth-
a)}px`,top:`${e.top+6}px`},"aria-hidden":"true",children:[o&&r("img",{src:o,alt:""}),r("span",{class:"strip-magnified-words",children:[r("strong",{children:["St\
ep ",t.step]}),t.outcome&&` \xB7 ${Me[t.outcome]}`,r("span",{class:"said",children:ne(t)})]})]})}function Ro({live:e}){let[t,n]=v(Date.now()/1e3);return T(()=>{let o=setInterval(()=>n(Date.now()/1e3),500);return()=>clearInterval(o)},[]),r("section",{class:"\
live","aria-label":"Now",children:[e.connection==="lost"&&r("p",{class:"live-lost",role:"alert",children:[r(b,{name:"warning"})," The connection is lost. The pa\
ge connects again by itself and then shows what it missed."]}),r("p",{class:"live-stages",children:[r("span",{class:`live-dot${e.connection==="open"?" live-dot-\
on":""}`,"aria-hidden":"true"}),e.stages.length?e.stages.map(o=>r("span",{class:"live-stage",children:[r("span",{class:`live-colour live-${o.stage}`,"aria-hidde\
n":"true"}),o.stage," ",r("span",{class:"faint",children:["step ",o.step]})," ",r("span",{class:"live-seconds",children:E(Math.max(0,Math.round(10*(t-o.since))/
10))})]},`${o.step} ${o.stage}`)):r("span",{class:"quiet",children:"Between two stages"})]}),e.writing?.text&&r("p",{class:"live-writing",children:[r("span",{class:"\
faint",children:[Lt(e.writing.role)," writes"]})," ",r("span",{class:"said",children:e.writing.text.slice(-400)})]})]})}function Rn({step:e,width:t}){let n=t/100,o=e.touches.length>1;return r("g",{class:`action ${e.by_person?"action-person":""}`,children:e.touches.map((a,i)=>r("g",
{children:[Lr(a)?r(Es,{touch:a,unit:n}):r(Ss,{step:e,touch:a,unit:n}),o&&r(Ts,{touch:a,unit:n,number:i+1})]},i))},e.step)}function Ss({step:e,touch:t,unit:n}){let o={
cx:t.x1,cy:t.y1};return r(w,{children:[r("circle",{class:"action-pulse",...o,r:4.2*n}),r("circle",{class:"action-case",...o,r:4.2*n}),r("circle",{class:"action-\
ring",...o,r:4.2*n}),e.action_kind==="Long_Press"&&r("circle",{class:"action-ring",...o,r:6.4*n}),r("circle",{class:"action-dot",...o,r:1.3*n})]})}function Es({
touch:e,unit:t}){let{x1:n,y1:o,x2:a,y2:i}=e,s=Math.atan2(i-o,a-n),l=d=>{let h=s+Math.PI-d;return`${a+Math.cos(h)*6*t} ${i+Math.sin(h)*6*t}`},c=`M${n} ${o}L${a} ${i}`,
u=`M${l(.5)}L${a} ${i}L${l(-.5)}`;return r(w,{children:[r("path",{class:"action-case",d:c}),r("path",{class:"action-case",d:u}),r("path",{class:"action-ring",d:c}),
r("path",{class:"action-ring",d:u}),r("path",{class:"action-flow",d:c,pathLength:100}),r("circle",{class:"action-case",cx:n,cy:o,r:2.6*t}),r("circle",{class:"ac\
tion-start",cx:n,cy:o,r:2.6*t})]})}function Ts({touch:e,unit:t,number:n}){return r("text",{class:"action-number",x:e.x1+5*t,y:e.y1-4*t,"font-size":5*t,children:n})}
function Po({step:e}){let t=$r(e);return!t&&!e.typed_text&&!e.by_person?null:r("div",{class:"action-caption",children:[e.by_person&&r("span",{class:"action-chip\
 action-by",children:[r(b,{name:"hand",size:12}),r("bdi",{class:"clip",children:e.by_person})]}),e.typed_text&&r("span",{class:"action-typed",children:[r(b,{name:"\
keyboard",size:14,label:"typed"}),r("span",{class:"said",children:e.typed_text})]}),t&&r("span",{class:"action-chip said",children:t})]})}function pt(e){let{screen:t,size:n}=e,o=e.source.pictureUrl(t,"full"),[a,i]=v(null);return T(()=>i(null),[t]),r("div",{class:`shot ${e.class??""}`,style:{"--rat\
io":String(n[0]/n[1])},children:[o&&a!==t?r("img",{class:"shot-picture",src:o,alt:e.label,width:n[0],height:n[1],decoding:"async",draggable:!1,onError:()=>i(t)}):
r("div",{class:"shot-missing",role:"img","aria-label":e.label,children:[r(b,{name:"image",size:24}),r("span",{children:o?"This screen could not be loaded.":"Thi\
s report was made without screens."})]}),e.marks&&r("svg",{class:"shot-marks",viewBox:`0 0 ${n[0]} ${n[1]}`,preserveAspectRatio:"none","aria-hidden":"true",children:e.
marks}),e.children]})}function $o(e,t){let n=t.filter(Boolean).join(" ");T(()=>{let o=n.split(" ").filter(Boolean).map(a=>{let i=new Image,s=e.pictureUrl(a,"ful\
l");return s&&(i.src=s),i});return()=>o.splice(0)},[n,e])}var Cs=300,ut=new Map;function Ao(e,t,n){let{screen:o,screen_after:a}=t,i=o&&a?`${o} ${a}`:"",[s,l]=v(null);return T(()=>{if(!o||!a||ut.has(i))return;let c=!0,u=d=>{
ut.size>Cs&&ut.clear(),ut.set(i,d),c&&l({pair:i,changes:d})};return Ms(e,t,n).then(u,()=>{}),()=>{c=!1}},[i,e,n?.elements.length]),i?ut.get(i)??(s?.pair===i?s.changes:
null):null}async function Ms(e,t,n){let{screen:o,screen_after:a}=t;if(o===a)return{places:[],share:0,by:"pixels"};let i=[o,a].map(l=>l?e.pictureUrl(l,"full"):null);
if(i[0]&&i[1]){let[l,c]=await Promise.all([Lo(i[0]),Lo(i[1])]),u=l&&c&&fo(l,c);if(u)return u}let s=n&&n.screen===a?n.elements:null;if(!s||!t.elements.length)throw new Error(
"nothing to compare");return ho(t.elements,s,[t.width??1,t.height??1])}async function Lo(e){let t=new Image;t.src=e;try{return await t.decode(),t}catch{return null}}var Rs=.5;function Oo(e){let{film:t,source:n}=e,{step:o,next:a}=t;$o(n,[a?.screen,a?.screen_after,t.previous?.screen]);let i=Ao(n,o,a),s={...e,changes:i},l=o.screen_after?
r(Ps,{...s}):r(No,{children:e.missing});return t.view==="slider"&&o.screen&&o.screen_after?r($s,{...s}):t.view!=="side"?r("div",{class:"stage stage-one",children:t.
face==="after"?l:r(Fo,{...s})}):r("div",{class:"stage stage-side",children:[r(Fo,{...s}),l]})}function Pn(e,t,n){return e.sizes?.[t]??[n.step.width??1080,n.step.
height??2400]}function Fo({report:e,film:t,source:n}){let{step:o}=t;if(!o.screen)return r(No,{children:"No screen was taken at this step."});let a=Pn(e,o.screen,
t);return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-caption",children:[r("strong",{children:"Before"}),r("span",{class:"faint",children:qe(
o.taken_at)}),o.app&&r("bdi",{class:"clip faint mono",children:o.app})]}),r("div",{class:"shot-room",children:r(pt,{source:n,screen:o.screen,size:a,label:`Scree\
n before the action of step ${o.step}`,marks:r(w,{children:[r(Sn,{elements:o.elements,all:t.boxes}),r(Rn,{step:o,width:a[0]})]}),children:[r(En,{elements:o.elements,
size:a}),r(Po,{step:o})]})})]})}function Ps({report:e,film:t,source:n,changes:o}){let{step:a,next:i}=t,s=a.screen_after,l=Pn(e,s,t),c=i?.screen===s?i.elements:[],
u=i?.taken_at!=null&&a.taken_at!=null&&i.screen===s?i.taken_at-a.taken_at:null;return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-ca\
ption",children:[r("strong",{children:"After"}),u!==null&&r("span",{class:"faint",children:["+",E(u)]}),r(Io,{step:t,changes:o})]}),r("div",{class:"shot-room",children:r(
pt,{source:n,screen:s,size:l,label:`Screen after the action of step ${a.step}`,marks:r(w,{children:[t.changes&&r(Bo,{changes:o}),r(Sn,{elements:c,all:t.boxes})]}),
children:r(En,{elements:c,size:l})})})]})}function Bo({changes:e}){return!e||e.share>Rs?null:r("g",{children:e.places.map((t,n)=>r("rect",{class:"change",x:t.x1,
y:t.y1,width:t.x2-t.x1,height:t.y2-t.y1,rx:8},n))})}function Io({step:e,changes:t}){if(e.step.screen===e.step.screen_after)return r("span",{class:"stage-same",children:"\
the same picture"});if(!t)return null;if(!t.places.length)return r("span",{class:"stage-same",children:"no change to see"});let n=t.share<.01?"under 1\xA0%":ue(
t.share);return r("span",{class:"faint",title:t.by==="elements"?"Found from what was read off the screens.":void 0,children:[n," changed"]})}function $s(e){let{
report:t,film:n,source:o,changes:a}=e,{step:i}=n,[s,l]=v(50),c=Pn(t,i.screen,n);return r("div",{class:"stage stage-one",children:r("figure",{class:"stage-figure",
children:[r("figcaption",{class:"stage-caption",children:[r("strong",{children:"Before"}),r("span",{class:"faint",children:"left of the line,"}),r("strong",{children:"\
after"}),r("span",{class:"faint",children:"right of it"}),r(Io,{step:n,changes:a})]}),r("div",{class:"shot-room",children:r(pt,{source:o,screen:i.screen_after,size:c,
label:`Screen after the action of step ${i.step}`,marks:n.changes&&r(Bo,{changes:a}),children:[r("div",{class:"slider-before",style:{clipPath:`inset(0 ${100-s}%\
 0 0)`},children:r(pt,{source:o,screen:i.screen,size:c,label:`Screen before the action of step ${i.step}`,marks:r(Rn,{step:i,width:c[0]})})}),r("div",{class:"sl\
ider-line",style:{left:`${s}%`},"aria-hidden":"true",children:r("span",{class:"slider-knob",children:[r(b,{name:"left",size:12}),r(b,{name:"right",size:12})]})}),
r("input",{class:"slider-input",type:"range",min:0,max:100,value:s,"aria-label":"How much of the screen before is shown","aria-valuetext":`${s} percent before, ${100-
s} percent after`,onInput:u=>l(Number(u.currentTarget.value)),onKeyDown:u=>/^(Arrow|Home|End|Page)/.test(u.key)&&u.stopPropagation()})]})})]})})}function No({children:e}){
return r("figure",{class:"stage-figure",children:[r("figcaption",{class:"stage-caption",children:r("strong",{children:"After"})}),r("div",{class:"stage-none",children:e})]})}
function Xo(e,t){return`Step ${e.step.step}, ${e.index+1} of ${e.count}: ${ne(e.step)}${t&&`, ${t}`}`}var Ls=460,As=400,Wt=12;function Jo(e,t){Q(()=>{let n=e.current;if(!n)return;let o=()=>{let i=n.querySelector(".film-reel"),s=Math.min(Ls,Fs(i??n)+Wt);n.style.setProperty(
"--stage-height",`${Math.max(As,innerHeight-s-Wt)}px`),n.style.setProperty("--reel",`${(i?.offsetHeight??0)+Wt}px`)},a=new ResizeObserver(o);for(let i of n.querySelectorAll(
".film-head, .film-reel"))a.observe(i);return addEventListener("resize",o),o(),()=>{a.disconnect(),removeEventListener("resize",o)}},[e,t])}function Fs(e){let t=e.
closest(".film")??e,n=t.querySelector(".film-head");return t.getBoundingClientRect().top+scrollY+(n?.offsetHeight??0)+Wt+e.offsetHeight}function $n(e){let{source:t,live:n}=e,o=L(()=>n?e.report:Ar(e.report),[e.report,n!==void 0]),a=Nr(o),i=qr(o,a);Ur(o,a,i);let s=M(null);return Jo(s,a!==null),r("\
article",{class:"film",ref:s,children:[r(Vr,{report:o,tools:e.tools}),r(Jr,{report:o}),a?r(w,{children:[r("section",{class:"film-reel panel","aria-label":"Film",
children:[n&&!K(o)&&r(Ro,{live:n}),r(Mo,{report:o,film:a,source:t}),r(Wr,{report:o,film:a,player:i})]}),r("section",{class:"film-stage","aria-label":"Screens of\
 the step",children:e.surface??r(w,{children:[r(Bs,{film:a}),r("div",{class:"film-stage-room",children:r(Oo,{report:o,film:a,source:t,missing:r(Is,{report:o,film:a})})})]})}),
r(So,{report:o,film:a,source:t,live:n}),r("p",{class:"unseen","aria-live":"polite",children:Xo(a,a.step.outcome?Me[a.step.outcome]:"")})]}):e.surface??r(X,{icon:"\
image",title:K(o)?"No step was taken":"No step yet",children:K(o)?"The episode ended before its first screen was taken.":"The first screen appears as soon as th\
e phone has sent it."})]})}var Os={side:"Side by side",slider:"Slider",one:"One screen"};function Bs({film:e}){return r("div",{class:"film-stage-tools",role:"gr\
oup","aria-label":"How screens are shown",children:[r("div",{class:"segments",title:"Layout (V)",children:Pe.map(t=>r(_,{kind:"quiet",pressed:e.view===t,onClick:()=>It(
t),children:Os[t]},t))}),r(_,{icon:"layers",pressed:e.boxes,title:"Boxes of what was read (B)",onClick:()=>He(!e.boxes),children:"Boxes"}),r(_,{icon:"filter",pressed:e.
changes,title:"Mark what changed (D)",onClick:()=>Nt(!e.changes),children:"Changes"})]})}function Is({report:e,film:t}){let n=t.index===t.count-1;return n&&!K(e)?
r("span",{children:"The step is under way."}):t.step.action?r("span",{children:n?"The episode ended before another screen was taken.":"No screen was taken after\
 the action."}):r("span",{children:"No action was sent at this step."})}var Vt=new Map,Ln=new Map,zo;window.manyhandsReport=(e,t)=>Vt.get(e)?.(t);var We=class extends Error{constructor(n){super(`The report has no "${n}".`);this.part=
n}part};function mt(e){let t=Ln.get(e);return t||(t=Ns(e).then(Xs),Ln.set(e,t),t.catch(()=>Ln.delete(e))),t}function Ns(e){let t=An().get(e);return t?Promise.resolve(t.
textContent.trim()):An().size?Promise.reject(new We(e)):new Promise((n,o)=>{let a=document.createElement("script"),i=()=>{Vt.delete(e),a.remove()};Vt.set(e,s=>{
i(),n(s)}),a.onload=a.onerror=()=>{Vt.has(e)&&(i(),o(new We(e)))},a.src=`report/${e.split("/").map(encodeURIComponent).join("/")}.js`,document.head.append(a)})}
function An(){return zo??=new Map(Array.from(document.querySelectorAll('script[type="text/plain"][data-name]'),e=>[e.dataset.name??"",e])),zo}async function Xs(e){
let t=Uint8Array.from(atob(e),o=>o.charCodeAt(0)),n=new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));return JSON.parse(await new Response(n).
text())}function Ut(e,t="full"){if(!/^[0-9a-f]{16,64}$/.test(e))return null;let n=An();return n.size?n.get(`screens/${e}`)?.textContent.trim()||null:t==="small"?
`thumbnails/${e}.jpg`:`screens/${e}.png`}function jt(e){let[t,n]=v({name:e,loading:{state:"loading"}});return T(()=>{let o=!0,a=i=>{o&&n({name:e,loading:i})};return mt(e).then(i=>a({state:"ready",part:i}),
i=>a({state:"failed",error:i instanceof Error?i:new Error(String(i))})),()=>{o=!1}},[e]),t.name===e?t.loading:{state:"loading"}}function Do({id:e,isTrimmed:t}){let n=jt(`episodes/${e}`);return r(Fn,{loading:n,children:o=>r("main",{class:"episode-page",children:r(Js,{report:o,isTrimmed:t})})})}
function Js({report:e,isTrimmed:t}){let{id:n}=e.episode,o=L(()=>{let a=async s=>(await mt(`calls/${n}`)).find(c=>c.step===s)??{step:s,calls:[]},i=async()=>(await mt(
`logs/${n}`)).join(`
`);return{pictureUrl:(s,l)=>t?null:Ut(s,l),loadCalls:a,...e.has_log?{loadLog:i}:{}}},[n,t,e.has_log]);return r($n,{report:e,source:o})}function Ho(e){let t=M(null),n=Ye();return T(()=>{let o=t.current;return o?.showModal(),()=>o?.close()},[]),r("dialog",{ref:t,class:`dialog${e.wide?" dialog-wid\
e":""}`,"aria-labelledby":n,onCancel:o=>{o.preventDefault(),e.onClose()},onClick:o=>o.target===t.current&&e.onClose(),children:r("div",{class:"dialog-inside",children:[
r("header",{class:"dialog-head",children:[r("h2",{id:n,children:e.title}),r(_,{icon:"cross",label:"Close",kind:"quiet",onClick:e.onClose})]}),r("div",{class:"di\
alog-body",children:e.children}),e.foot&&r("footer",{class:"dialog-foot",children:e.foot})]})})}var zs={ArrowRight:"\u2192",ArrowLeft:"\u2190",ArrowUp:"\u2191",ArrowDown:"\u2193",Escape:"Esc"," ":"Space"};function qo(){let[e,t]=v(!1);return ie("Everywhere",
[{key:"?",does:"show the keys",run:()=>t(!0)}]),r(w,{children:[r(_,{icon:"keyboard",label:"Keys",kind:"quiet",onClick:()=>t(!0)}),e&&r(Ho,{title:"Keys",onClose:()=>t(
!1),children:[...$e.value].reverse().map(n=>r("section",{class:"keyhelp",children:[r("h3",{children:n.title}),r("dl",{children:n.keys.map(o=>r("div",{children:[
r("dt",{children:o.key.split("+").map(a=>r("kbd",{children:zs[a]??a},a))}),r("dd",{children:o.does})]},o.key))})]},n.title))})]})}var Ds={system:"light",light:"dark",dark:"system"},Hs={system:"screen",light:"sun",dark:"moon"},qs={system:"Colours: as the system",light:"Colours: light",dark:"\
Colours: dark"};function Wo(){let e=nt.value;return r(_,{icon:Hs[e],label:qs[e],kind:"quiet",onClick:()=>Cr(Ds[e])})}function On({crumbs:e,keys:t}){return r("header",{class:"report-head",children:[r("span",{class:"report-name",children:"Manyhands"}),r("nav",{class:"report-crum\
bs","aria-label":"Place",children:r("ol",{children:e.map((n,o)=>r("li",{"aria-current":o===e.length-1?"page":void 0,children:[r(b,{name:"right",size:12}),n.href?
r("a",{class:"clip",href:n.href,children:n.title}):r("span",{class:"clip",children:n.title})]},o))})}),r("div",{class:"report-tools",children:[r(Le,{label:"Copy\
 this address",text:()=>location.href}),t&&r(qo,{}),r(Wo,{})]})]})}var Vo=12;function Kt(e,t,n){let[o,a]=v({first:0,end:Math.min(t,40)});return Q(()=>{let i=0,s=()=>{i=0;let u=e.current?.getBoundingClientRect();if(!u)return;let d=Math.
max(0,Math.floor(-u.top/n)-Vo),h=Math.min(t,Math.ceil((innerHeight-u.top)/n)+Vo);a(m=>m.first===d&&m.end===h?m:{first:Math.min(d,t),end:Math.max(h,0)})},l=()=>{
i||=requestAnimationFrame(s)};s(),addEventListener("scroll",l,{capture:!0,passive:!0}),addEventListener("resize",l);let c=new ResizeObserver(l);return c.observe(
document.body),()=>{cancelAnimationFrame(i),removeEventListener("scroll",l,{capture:!0}),removeEventListener("resize",l),c.disconnect()}},[t,n]),{first:Math.min(
o.first,t),end:Math.min(Math.max(o.end,o.first),t)}}function Uo(e){let t=M(null),{items:n,height:o}=e,{first:a,end:i}=Kt(t,n.length,o);return r("ul",{ref:t,class:e.class,"aria-label":e.label,style:{height:`${n.length*
o}px`,position:"relative"},children:n.slice(a,i).map((s,l)=>r("li",{"aria-setsize":n.length,"aria-posinset":a+l+1,style:{position:"absolute",insetInline:"0",height:`${o}\
px`,top:`${(a+l)*o}px`},children:e.children(s,a+l)},e.keyOf(s)))})}var Ws=.5;function jo(e){let t=Number($("from","0")),n=Number($("to",String(e)));return Number.isFinite(t)&&Number.isFinite(n)&&n>t?Ko({from:t,to:n},e):{from:0,
to:e}}function Ko({from:e,to:t},n){let o=Math.min(Math.max(t-e,Math.min(Ws,n)),n),a=Math.min(Math.max(0,e),n-o);return{from:a,to:a+o}}function se(e,t){let{from:n,
to:o}=Ko(e,t),a=n<=0&&o>=t;P(a?{from:"",to:""}:{from:n.toFixed(2),to:o.toFixed(2)})}function Fe(e,t,n,o){se({from:t-(t-e.from)*n,to:t+(e.to-t)*n},o)}function ft(e,t,n){
let o=(e.to-e.from)*t;se({from:e.from+o,to:e.to+o},n)}var Vs={fault:"bad",resumed:"accent",outage:"warn"},Go=15;function Yo({report:e}){let{events:t,phones:n}=e;if(!t.length)return null;let o=Math.max(1,...n.flatMap(
i=>i.episodes.map(s=>s.end))),a=i=>se({from:i.at-Go,to:(i.end??i.at)+Go},o);return r("section",{class:"panel",children:[r("header",{class:"panel-head",children:r(
"h2",{children:"Faults and resumptions"})}),r(Uo,{items:t,height:36,keyOf:i=>`${i.at} ${i.kind} ${i.phone} ${i.text}`,label:"Events of the run",children:i=>r("b\
utton",{type:"button",class:"timeline-event",onClick:()=>a(i),children:[r("span",{class:"num",children:qe(e.started_at+i.at)}),r(A,{tone:Vs[i.kind],children:i.kind}),
r("span",{class:"clip",children:i.text}),r("span",{class:"clip mono faint",children:i.phone})]})})]})}function Zo(e){let t=document.createElement("span");document.body.append(t);let n=getComputedStyle(t),o={};for(let a of e)t.style.color=`var(${a})`,o[a]=n.color;
return t.remove(),o}var j={failed:{title:"Failed",tone:"bad",icon:"cross",fill:"--bad-fill"},undecided:{title:"Undecided",tone:"warn",icon:"warning",fill:"--warn-fill"},cancelled:{
title:"Cancelled",tone:"quiet",icon:"minus",fill:"--quiet-fill"},done:{title:"Done",tone:"good",icon:"check",fill:"--good-fill"}},fe=Object.keys(j);function re(e){
return e?e.replaceAll("_"," "):"no end"}var Bn={capture:"--stage-capture",settle:"--stage-other",perceive:"--stage-perceive",verify:"--stage-verify",reflect:"--\
stage-verify",plan:"--stage-plan",decide:"--stage-decide",act:"--stage-act",note:"--stage-note"};function le(e){return Bn[e]??"--stage-other"}var Us=[.1,.2,.5,1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,14400,43200,86400];function Qo(e,t,n){let o=Us.find(i=>(t-e)/i<=n)??Math.ceil((t-e)/n/86400)*86400,
a=Math.ceil(e/o);return Array.from({length:Math.max(0,Math.floor(t/o)-a+1)},(i,s)=>(a+s)*o)}function H(e,t){let{from:n,to:o}=e.span;return e.left+(t-n)/(o-n)*(e.width-e.left)}function In(e,t){let{from:n,to:o}=e.span;return n+(t-e.left)/(e.width-e.left)*
(o-n)}function Ve(e,t){return[26+t*24-e.scrolled+8/2,16]}function ea(e,t,n,o){if(o<26||n<e.left)return null;let a=t[Math.floor((o-26+e.scrolled)/24)];if(!a)return null;
let i=(e.span.to-e.span.from)/(e.width-e.left)*2,s=In(e,n),l=a.episodes.find(u=>s>=u.start-i&&s<=u.end+i);if(!l)return null;let c=l.steps.findLast(u=>u.start<=s+
i)??l.steps[0]??null;return{track:a,episode:l,step:c}}var ra=[...new Set(["--surface","--hairline","--edge","--hover","--text","--text-2","--text-3","--accent","--bad","--warn-soft","--quiet-soft","--stage-other",...Object.
values(Bn),...Object.values(j).map(e=>e.fill)])],js=9,ta=new WeakMap,Ks={A:"--good-fill",B:"--bad-fill",C:"--warn-fill"};function oa(e,t){let{layout:n,phones:o,
colours:a}=t;e.clearRect(0,0,n.width,n.height),e.font=`11px ${t.font}`,e.textBaseline="middle";let i=Math.max(0,Math.floor(n.scrolled/24)),s=Math.min(o.length,Math.
ceil((n.scrolled+n.height-26)/24));al(e,t),Gs(e,t),e.save(),e.beginPath(),e.rect(n.left,26,n.width-n.left,n.height-26),e.clip();for(let l=i;l<s;l+=1){let c=o[l];
if(c)for(let u of c.episodes)Zs(e,t,l,u)}il(e,t),e.restore(),sl(e,t,i,s),Ys(e,t),e.fillStyle=a["--hairline"]??"",e.fillRect(0,25,n.width,1)}function Gs(e,{layout:t,
colours:n}){e.fillStyle=n["--hairline"]??"";for(let o of aa(t))e.fillRect(Math.round(H(t,o)),26,1,t.height-26)}function aa(e){return Qo(e.span.from,e.span.to,Math.
max(2,Math.floor((e.width-e.left)/90)))}function Ys(e,{layout:t,colours:n}){e.fillStyle=n["--surface"]??"",e.fillRect(0,0,t.width,25),e.fillStyle=n["--text-3"]??
"",e.textAlign="left";for(let o of aa(t)){let a=H(t,o);a<t.width-50&&e.fillText(E(o),a+4,26/2)}}function Zs(e,t,n,o){let{layout:a,colouring:i,colours:s,tasks:l,
marked:c}=t,u=H(a,o.start),d=Math.max(H(a,o.end),u+2);if(d<a.left||u>a.width)return;let[h,m]=Ve(a,n);e.globalAlpha=l.has(o.task)?1:.16;let p=s[j[o.verdict].fill]??
"";e.fillStyle=s["--quiet-soft"]??"",e.fillRect(u,h,d-u,m);let f=(d-u)/Math.max(1,o.steps.length);if(i==="ending"||f<2)e.fillStyle=p,e.fillRect(u,h,Math.max(2,d-
u-1),m),i==="ending"&&f>6&&rl(e,t,o,h,m);else if(i==="stage"&&f<js)Qs(e,t,o,u,d,h,m);else for(let g of o.steps)tl(e,t,g,h,m);i!=="ending"&&(e.fillStyle=p,e.fillRect(
u,h+m,Math.max(2,d-u-1),3)),c?.episode===o&&ol(e,t,c.step,u,d,h,m),e.globalAlpha=1}function Qs(e,{layout:t,colours:n},o,a,i,s,l){let c=s;for(let[u,d]of el(o))e.
fillStyle=n[le(u)]??"",e.fillRect(a,c,Math.max(2,i-a-1),d*l+.3),c+=d*l;if(e.fillStyle=n["--surface"]??"",!((i-a)/Math.max(1,o.steps.length)<4))for(let u of o.steps.
slice(1))e.fillRect(H(t,u.start)-.5,s,.5,l)}function el(e){let t=ta.get(e);if(!t){let n=new Map;for(let a of e.steps)for(let[i,s,l]of a.stages)n.set(i,(n.get(i)??
0)+l-s);let o=[...n.values()].reduce((a,i)=>a+i,0)||1;t=[...n].map(([a,i])=>[a,i/o]),ta.set(e,t)}return t}function tl(e,t,n,o,a){let{layout:i,colouring:s,colours:l}=t,
c=H(i,n.start),u=H(i,n.end);if(u<i.left||c>i.width)return;if(s==="verdict"){e.fillStyle=l[Ks[n.outcome??""]??"--stage-other"]??"",e.fillRect(c,o,Math.max(1,u-c-
1),a);return}let d=nl(n,u-c>60),h=a/d.count;n.stages.forEach(([m,p,f],g)=>{let x=H(i,p);e.fillStyle=l[le(m)]??"",e.fillRect(x,o+(d.of[g]??0)*h,Math.max(.7,H(i,f)-
x),h)}),u-c>8&&(e.fillStyle=l["--surface"]??"",e.fillRect(c-.5,o,1,a))}function nl(e,t){if(!t)return{count:1,of:e.stages.map(()=>0)};let n=[],o=e.stages.map(([,
a,i])=>{let s=n.findIndex(l=>l<=a+.001);return s<0&&(s=n.length<3?n.length:2),n[s]=i,s});return{count:Math.max(1,n.length),of:o}}function rl(e,t,n,o,a){e.fillStyle=
t.colours["--surface"]??"";for(let i of n.steps.slice(1))e.fillRect(H(t.layout,i.start)-.5,o,1,a)}function ol(e,{layout:t,colours:n},o,a,i,s,l){if(e.globalAlpha=
1,e.strokeStyle=n["--edge"]??"",e.lineWidth=1,e.strokeRect(a-.5,s-1.5,i-a+1,l+4),!o)return;let c=H(t,o.start);e.strokeStyle=n["--text"]??"",e.lineWidth=2,e.strokeRect(
c,s-1,Math.max(3,H(t,o.end)-c),l+2)}function al(e,{layout:t,events:n,colours:o}){e.fillStyle=o["--warn-soft"]??"";for(let a of n){if(a.phone||a.end==null)continue;
let i=Math.max(t.left,H(t,a.at)),s=Math.min(t.width,H(t,a.end));s>i&&e.fillRect(i,26,s-i,t.height-26)}}function il(e,t){let{layout:n,events:o,phones:a,colours:i}=t,
s=new Map(a.map((l,c)=>[l.phone,c]));for(let l of o){let c=H(n,l.at);if(c<n.left-6||c>n.width+6)continue;e.fillStyle=i[l.kind==="resumed"?"--accent":"--bad"]??"";
let u=s.get(l.phone);if(u===void 0)e.fillRect(c-.5,26,1,n.height-26),na(e,c,26);else{let[d,h]=Ve(n,u);e.fillRect(c-.5,d-3,1.5,h+6),na(e,c,d-4)}}}function na(e,t,n){
e.beginPath(),e.moveTo(t-4.5,n),e.lineTo(t+4.5,n),e.lineTo(t,n+7),e.closePath(),e.fill()}function sl(e,t,n,o){let{layout:a,phones:i,colours:s,marked:l}=t;e.fillStyle=
s["--surface"]??"",e.fillRect(0,26,a.left,a.height-26),e.textAlign="left";for(let c=n;c<o;c+=1){let u=i[c];if(!u)continue;let[d,h]=Ve(a,c);e.fillStyle=s[l?.track===
u?"--text":"--text-2"]??"",e.fillText(ll(e,u.phone||"no phone",a.left-20),12,d+h/2+1)}e.fillStyle=s["--hairline"]??"",e.fillRect(a.left-1,26,1,a.height-26)}function ll(e,t,n){
if(e.measureText(t).width<=n)return t;let o=Math.min(t.length,40);for(;o>1&&e.measureText(`\u2026${t.slice(-o)}`).width>n;)o-=1;return`\u2026${t.slice(-o)}`}function sa(e,t,n,o){if(!t)return cl(e,o);if(n==="next"||n==="before"){let s=Nn(t.track),l=s.findIndex(c=>c.episode===t.episode&&c.step===t.step);return s[l+(n===
"next"?1:-1)]??t}let a=t.step?.start??t.episode.start,i=n==="below"?1:-1;for(let s=e.indexOf(t.track)+i;s>=0&&s<e.length;s+=i){let l=e[s],c=l?Nn(l):[];if(c.length)
return c.reduce((u,d)=>ia(d,a)<ia(u,a)?d:u)}return t}function cl(e,t){for(let n of e){let o=Nn(n),a=o.find(i=>(i.step?.start??i.episode.start)>=t)??o[0];if(a)return a}
return null}function Nn(e){return e.episodes.flatMap(t=>t.steps.length?t.steps.map(n=>({track:e,episode:t,step:n})):[{track:e,episode:t,step:null}])}function ia(e,t){
return Math.abs((e.step?.start??e.episode.start)-t)}function Gt(e,t){let{offsetWidth:n,offsetHeight:o}=e,a=Math.max(8,Math.min(t.left+t.width/2-n/2,innerWidth-n-8)),i=t.bottom+8,s=i+o<=innerHeight-8?i:Math.max(8,
t.top-o-8);e.style.left=`${a}px`,e.style.top=`${s}px`}function Yt({screen:e,label:t="",class:n=""}){let[o,a]=v({screen:"",times:0}),i=o.screen===e?o.times:0,s=e?Ut(e,i?"full":"small"):null;return!e||!s||i>1?r("span",
{class:`picture picture-none ${n}`}):r("img",{class:`picture ${n}`,src:s,alt:t,loading:"lazy",decoding:"async",draggable:!1,onError:()=>a({screen:e,times:i+1})})}function Xn({pointed:e,startedAt:t,goal:n}){let o=M(null);Q(()=>{o.current&&Gt(o.current,e.at)},[e]);let{track:a,episode:i,step:s}=e,l=j[i.verdict];return r("di\
v",{ref:o,class:"timeline-card","aria-hidden":"true",children:[s?.screen&&r(Yt,{screen:s.screen,class:"timeline-picture"}),r("div",{class:"timeline-about",children:[
r("p",{class:"timeline-goal",children:n||i.task}),r("p",{class:"faint mono clip",children:[i.task," \xB7 ",a.phone||"no phone"]}),r("p",{class:"timeline-badges",
children:[r(A,{tone:l.tone,icon:l.icon,children:re(i.ending)}),s&&r(zt,{verdict:s.outcome})]}),s&&r(w,{children:[r("p",{children:[r("b",{children:["Step ",s.step]}),
" ",r("span",{class:"quiet",children:E(s.end-s.start)})," ",r("span",{class:"faint",children:["at ",qe(t+s.start)]})]}),r("ul",{class:"timeline-stages",children:s.
stages.slice(0,8).map(([c,u,d],h)=>r("li",{children:[r("i",{style:{background:`var(${le(c)})`}}),c," ",r("span",{class:"num faint",children:E(d-u)})]},h))})]})]})]})}var dl=[["as expected","--good-fill"],["wrong page","--bad-fill"],["no change","--warn-fill"],["no verdict","--stage-other"]];function ca(e){let{colouring:t,phones:n,
events:o}=e,a=L(()=>pl(t,n),[t,n]),i=new Set(o.map(s=>s.kind));return r("ul",{class:"timeline-legend","aria-label":"Colours of the timeline",children:[a.map(([s,
l])=>r("li",{children:[r("i",{style:{background:`var(${l})`}}),s]},s)),i.has("fault")&&r(la,{name:"fault",fill:"--bad"}),i.has("resumed")&&r(la,{name:"resumed",
fill:"--accent"}),i.has("outage")&&r("li",{children:[r("i",{class:"timeline-outage"}),"no model"]})]})}function la({name:e,fill:t}){return r("li",{children:[r("\
svg",{width:"10",height:"10",viewBox:"0 0 10 10","aria-hidden":"true",children:r("path",{d:"M0.5 1h9L5 9z",style:{fill:`var(${t})`}})}),e]})}function pl(e,t){if(e===
"verdict")return dl;let n=t.flatMap(a=>a.episodes);if(e==="ending"){let a=new Set(n.map(i=>i.verdict));return fe.filter(i=>a.has(i)).map(i=>[j[i].title.toLowerCase(),
j[i].fill])}return[...new Set(n.flatMap(a=>a.steps.flatMap(i=>i.stages.map(([s])=>s))))].map(a=>[a,le(a)])}var da=4;function pa(e,t){let n=M(t);n.current=t,T(()=>{let o=e.current;if(!o)return;let a=null,i=m=>{let{layout:p,phones:f}=n.current,g=ea(p,f,m.offsetX,m.offsetY);
return g&&{...g,at:{left:m.clientX,width:0,top:m.clientY-12,bottom:m.clientY+12}}},s=m=>{m.button!==0||m.pointerType==="touch"||(a={x:m.clientX,y:m.clientY,...n.
current.layout.span,moved:!1},o.setPointerCapture(m.pointerId))},l=m=>{let{layout:p,end:f,point:g}=n.current;if(!a)return g(i(m));let x=m.clientX-a.x;if((Math.abs(
x)>da||Math.abs(m.clientY-a.y)>da)&&(a.moved=!0),!a.moved)return;g(null);let R=x/(p.width-p.left)*(a.to-a.from);se({from:a.from-R,to:a.to-R},f)},c=()=>{let m=a?.
moved;a=null,m&&o.addEventListener("click",p=>p.stopImmediatePropagation(),{once:!0,capture:!0})},u=m=>{let p=i(m);p&&n.current.open(p)},d=m=>{let{layout:p,end:f}=n.
current;m.ctrlKey||m.metaKey?(m.preventDefault(),Fe(p.span,In(p,m.offsetX),Math.exp(m.deltaY*.004),f)):(m.shiftKey||Math.abs(m.deltaX)>Math.abs(m.deltaY))&&(m.preventDefault(),
ft(p.span,(m.deltaX||m.deltaY)/(p.width-p.left),f))},h=()=>n.current.point(null);return o.addEventListener("pointerdown",s),o.addEventListener("pointermove",l),
o.addEventListener("pointerup",c),o.addEventListener("pointercancel",c),o.addEventListener("pointerleave",h),o.addEventListener("click",u),o.addEventListener("w\
heel",d,{passive:!1}),()=>{o.removeEventListener("pointerdown",s),o.removeEventListener("pointermove",l),o.removeEventListener("pointerup",c),o.removeEventListener(
"pointercancel",c),o.removeEventListener("pointerleave",h),o.removeEventListener("click",u),o.removeEventListener("wheel",d)}},[])}var ua=["stage","verdict","ending"];function ma({report:e,shown:t}){let{phones:n,events:o}=e,a=M(null),i=M(null),[s,l]=v({width:800,height:300}),[c,u]=v(0),[d,h]=v(
null),[m,p]=v(null),f=L(()=>Math.max(1,...n.flatMap(k=>k.episodes.map(q=>q.end))),[n]),g=L(()=>new Map(e.tasks.map(k=>[k.row.id,k.goal])),[e.tasks]),x=L(()=>new Set(
t.map(k=>k.row.id)),[t]),R=ua.find(k=>k===$("colour"))??"stage",y=jo(f),B={...s,scrolled:c,span:y,left:s.width<600?72:150},F=L(()=>Zo(ra),[$t.value]);Q(()=>{let k=i.
current;if(!k)return;let q=new ResizeObserver(()=>l({width:k.clientWidth,height:k.clientHeight}));return q.observe(k),()=>q.disconnect()},[]),T(()=>{let k=a.current,
q=k?.getContext("2d");if(!k||!q)return;let Y=devicePixelRatio||1;k.width=Math.round(s.width*Y),k.height=Math.round(s.height*Y),q.setTransform(Y,0,0,Y,0,0);let Z=getComputedStyle(
k).fontFamily;oa(q,{layout:B,phones:n,events:o,colouring:R,colours:F,font:Z,tasks:x,marked:d??m})});let Be=k=>bn(["episodes",k.episode.episode],k.step?{step:k.step.
step}:{});pa(a,{layout:B,phones:n,end:f,point:h,open:Be});let we=k=>{let q=sa(n,m,k,y.from);if(!q)return;p(q);let Y=n.indexOf(q.track);if(i.current){let W=Y*24,
Vn=s.height-26-24;W<i.current.scrollTop&&(i.current.scrollTop=W),W>i.current.scrollTop+Vn&&(i.current.scrollTop=W-Vn)}let Z=q.step?.start??q.episode.start,te=y.
to-y.from;(Z<y.from||Z>y.to)&&se({from:Z-te/2,to:Z+te/2},f)},ce=m?.step?.start??(y.from+y.to)/2;return ie("Timeline",[{key:"+",does:"zoom in",run:()=>Fe(y,ce,.6,
f)},{key:"-",does:"zoom out",run:()=>Fe(y,ce,1/.6,f)},{key:"0",does:"the whole run",run:()=>se({from:0,to:f},f)},{key:"ArrowRight",does:"next step",run:()=>we("\
next")},{key:"ArrowLeft",does:"step before",run:()=>we("before")},{key:"ArrowDown",does:"phone below",run:()=>we("below")},{key:"ArrowUp",does:"phone above",run:()=>we(
"above")},{key:"Shift+ArrowRight",does:"later",run:()=>ft(y,.25,f)},{key:"Shift+ArrowLeft",does:"earlier",run:()=>ft(y,-.25,f)},{key:"Enter",does:"open the step",
run:()=>m&&Be(m)}]),r("section",{class:"timeline panel","aria-label":"Timeline of all phones",children:[r("header",{class:"timeline-tools",children:[r("div",{class:"\
verdicts",role:"group","aria-label":"Colours",children:ua.map(k=>r("button",{type:"button",class:"verdict","aria-pressed":k===R,onClick:()=>P({colour:k==="stage"?
"":k}),children:k==="stage"?"Stages":k==="verdict"?"Verdicts":"Endings"},k))}),r(ca,{colouring:R,phones:n,events:o}),r("div",{class:"timeline-zoom",children:[r(
_,{icon:"minus",label:"Zoom out",kind:"quiet",onClick:()=>Fe(y,ce,1/.6,f)}),r(_,{icon:"plus",label:"Zoom in",kind:"quiet",onClick:()=>Fe(y,ce,.6,f)}),r(_,{kind:"\
quiet",disabled:y.from<=0&&y.to>=f,onClick:()=>se({from:0,to:f},f),children:"Whole run"})]})]}),r("div",{class:"timeline-frame",ref:i,tabIndex:0,role:"group",style:{
height:`${26+n.length*24+8}px`},"aria-label":`${D(n.length,"phone")} over ${E(f)}. Arrow keys go from step to step, Enter opens one.`,onScroll:k=>u(k.currentTarget.
scrollTop),children:[r("canvas",{ref:a,class:"timeline-canvas","aria-hidden":"true",style:{width:`${s.width}px`,height:`${s.height}px`}}),r("div",{style:{height:`${Math.
max(0,26+n.length*24+8-s.height)}px`}})]}),r("p",{class:"unseen",role:"status",children:m&&`${m.track.phone}, task ${m.episode.task}, ${m.step?`step ${m.step.step}\
, verdict ${m.step.outcome??"none"}`:re(m.episode.ending)}`}),d&&r(Xn,{pointed:d,startedAt:e.started_at,goal:g.get(d.episode.task)??""}),!d&&m&&r(Xn,{pointed:{...m,
at:ul(m,n.indexOf(m.track),B,i.current)},startedAt:e.started_at,goal:g.get(m.episode.task)??""})]})}function ul(e,t,n,o){let a=o?.getBoundingClientRect(),[i,s]=Ve(
n,t);return{left:(a?.left??0)+H(n,e.step?.start??e.episode.start),width:0,top:(a?.top??0)+i,bottom:(a?.top??0)+i+s}}var fa=4;function ha({causes:e}){let[t,n]=v(!1),o=ve("cause");if(!e.length)return null;let a=Math.max(...e.map(s=>s.tasks.length)),i=t?e:e.slice(0,fa);return r(
"section",{class:"causes panel","aria-labelledby":"causes-title",children:[r("header",{class:"panel-head",children:[r("h2",{id:"causes-title",children:"Why task\
s failed"}),r("span",{class:"faint",children:D(e.length,"cause")})]}),r("ul",{children:i.map(s=>{let l=o.includes(s.id);return r("li",{children:r("button",{type:"\
button",class:"cause","aria-pressed":l,onClick:()=>ye("cause",l?[]:[s.id]),children:[r("span",{class:"cause-count num",children:S(s.tasks.length)}),r("span",{class:"\
cause-words",children:[r("span",{class:"cause-reason said",children:s.reason||re(s.ending)}),r("span",{class:"cause-about",children:[r(A,{tone:"bad",children:s.
ending==="finished"?"check not met":re(s.ending)}),s.app&&r("span",{class:"clip quiet",children:s.app})]})]}),r("span",{class:"cause-bar","aria-hidden":"true",children:r(
"span",{style:{width:`${s.tasks.length/a*100}%`}})}),r("span",{class:"cause-do",children:l?"Show all":"Show"})]})},s.id)})}),e.length>fa&&r(_,{kind:"quiet",class:"\
causes-more",icon:t?"up":"down",onClick:()=>n(!t),children:t?"Fewer":`All ${S(e.length)} causes`})]})}function Zt(e){let{rows:t,columns:n,height:o=36,order:a="sort"}=e,i=M(null),s=$(a),l=L(()=>fl(t,n,s),[t,n,s]),{first:c,end:u}=Kt(i,l.length,o);return r("table",
{class:"table","aria-rowcount":l.length+1,children:[r("caption",{class:"unseen",children:e.caption}),r("thead",{children:r("tr",{"aria-rowindex":1,children:n.map(
d=>r(ml,{column:d,said:s,order:a},d.id))})}),r("tbody",{ref:i,children:[c>0&&r(ga,{height:c*o}),l.slice(c,u).map((d,h)=>r("tr",{"aria-rowindex":c+h+2,class:e.classOf?.(
d),style:{height:`${o}px`},children:n.map(m=>r("td",{class:va(m),children:m.cell(d)},m.id))},e.keyOf(d))),u<l.length&&r(ga,{height:(l.length-u)*o})]})]})}function ga({
height:e}){return r("tr",{class:"table-spacer","aria-hidden":"true",children:r("td",{style:{height:`${e}px`}})})}function va(e){return`${e.num?"num":""}${e.from?
` from-${e.from}`:""}`.trim()}function ml(e){let{column:t,said:n,order:o}=e,a=n===t.id?"ascending":n===`-${t.id}`?"descending":void 0,i=t.num?[`-${t.id}`,t.id,""]:
[t.id,`-${t.id}`,""],s=i[(i.indexOf(a?n:"")+1)%3]??"";return r("th",{scope:"col",class:va(t),"aria-sort":t.sort?a??"none":void 0,style:{width:t.width},children:t.
sort?r("button",{type:"button",class:"table-sort",onClick:()=>P({[o]:s}),children:[r("span",{children:t.title}),r(b,{name:a==="ascending"?"up":a==="descending"?
"down":"sort",size:12})]}):t.title})}function fl(e,t,n){let o=n.replace(/^-/,""),a=t.find(l=>l.id===o)?.sort;if(!a)return e;let i=n.startsWith("-")?-1:1,s=e.map(
l=>[a(l),l]);return s.sort(([l],[c])=>l==null||c==null?l==null?c==null?0:1:-1:typeof l=="number"&&typeof c=="number"?i*(l-c):i*String(l).localeCompare(String(c),
void 0,{numeric:!0})),s.map(([,l])=>l)}function ba({summary:e}){let t=Object.entries(e.model),n=Object.entries(e.servers??{}),o=Object.entries(e.stage_ms).flatMap(([a,i])=>i?[[a,i,e.queue_ms[a]]]:[]);
return!t.length&&!o.length?r(X,{icon:"coins",title:"No model was asked",children:"The figures appear here once an episode of the run has called a model."}):r("d\
iv",{class:"cost",children:[r(ya,{title:"By role",first:"Role",rows:t,order:"roles",asked:a=>e.models?.[a]?.model}),n.length>0&&r(ya,{title:"By server",first:"S\
erver",rows:n,order:"servers"}),r(hl,{rows:o})]})}function ya(e){let t=Math.max(1,...e.rows.map(([,o])=>o.input_tokens+o.output_tokens)),n=[{id:"name",title:e.first,
sort:([o])=>o,cell:([o])=>r(w,{children:[r("div",{class:"clip cost-name",children:o}),e.asked?.(o)&&r("div",{class:"clip faint cost-model",children:e.asked(o)})]})},
{id:"calls",title:"Calls",num:!0,width:"86px",sort:([,o])=>o.calls,cell:([,o])=>S(o.calls)},{id:"input",title:"Tokens in",num:!0,width:"104px",sort:([,o])=>o.input_tokens,
cell:([,o])=>U(o.input_tokens)},{id:"output",title:"Tokens out",num:!0,width:"108px",from:"s",sort:([,o])=>o.output_tokens,cell:([,o])=>U(o.output_tokens)},{id:"\
share",title:"Share",width:"18%",from:"l",cell:([,o])=>r("span",{class:"cost-bar","aria-hidden":"true",children:[r("span",{style:{width:`${o.input_tokens/t*100}\
%`,background:"var(--stage-plan)"}}),r("span",{style:{width:`${o.output_tokens/t*100}%`,background:"var(--stage-act)"}})]})},{id:"cached",title:"Cached",num:!0,
width:"90px",from:"m",sort:([,o])=>o.cached_share,cell:([,o])=>ue(o.cached_share)},{id:"p50",title:"p50",num:!0,width:"86px",from:"s",sort:([,o])=>o.latency_ms?.
p50,cell:([,o])=>ht(o.latency_ms?.p50)},{id:"p95",title:"p95",num:!0,width:"86px",from:"m",sort:([,o])=>o.latency_ms?.p95,cell:([,o])=>ht(o.latency_ms?.p95)},{id:"\
again",title:"Repairs",num:!0,width:"90px",from:"m",sort:([,o])=>o.repairs,cell:([,o])=>S(o.repairs)},{id:"errors",title:"Errors",num:!0,width:"86px",from:"m",sort:([
,o])=>o.errors,cell:([,o])=>r("span",{class:o.errors?"cost-bad":"",children:S(o.errors)})}];return r("section",{class:"panel",children:[r("header",{class:"panel\
-head",children:r("h2",{children:e.title})}),r(Zt,{caption:`Model calls, ${e.title.toLowerCase()}`,rows:e.rows,columns:n,keyOf:([o])=>o,height:e.asked?48:40,order:e.
order})]})}function hl({rows:e}){if(!e.length)return null;let t=Math.max(...e.map(([,n])=>n.p95),1);return r("section",{class:"panel",children:[r("header",{class:"\
panel-head",children:[r("h2",{children:"Stages of a step"}),r("span",{class:"faint",children:"work, p50 and p95; time in queues apart"})]}),r("ul",{class:"cost-\
stages",children:e.map(([n,o,a])=>r("li",{children:[r("span",{class:"clip",children:n}),r("span",{class:"cost-stage","aria-hidden":"true",children:[r("span",{style:{
width:`${o.p95/t*100}%`,background:`var(${le(n)})`,opacity:"0.35"}}),r("span",{style:{width:`${o.p50/t*100}%`,background:`var(${le(n)})`}})]}),r("span",{class:"\
num",children:[r("span",{class:"unseen",children:"p50 "}),ht(o.p50)]}),r("span",{class:"num quiet",children:[r("span",{class:"unseen",children:"p95 "}),ht(o.p95)]}),
r("span",{class:"num faint",children:a?`queue ${ht(a.p50)}`:""})]},n))})]})}function ht(e){return E(e==null?e:e/1e3)}function gl(e){let t={calls:0,input:0,output:0,cached:0};for(let n of Object.values(e))t.calls+=n.calls,t.input+=n.input_tokens,t.output+=n.output_tokens,t.cached+=
n.cached_tokens;return t}function xa({report:e}){let{summary:t,tasks:n}=e,o=new Map;for(let l of n)o.set(l.verdict,(o.get(l.verdict)??0)+1);let a=o.get("done")??
0,i=t.verified+t.judged_done,s=gl(t.model);return r("section",{class:"figures","aria-label":"Figures of the run",children:[r(vl,{counts:o,total:n.length}),r("dl",
{class:"figures-line",children:[r(xe,{name:"Done",more:n.length?ue(a/n.length):void 0,children:[S(a)," ",r("small",{children:["of ",S(n.length)]})]}),r(xe,{name:"\
Failed",more:t.false_completes?`${S(t.false_completes)} said done`:void 0,children:S(o.get("failed")??0)}),r(xe,{name:"Checks held",more:t.judged_done?`${S(t.judged_done)}\
 by a judge`:void 0,children:S(i)}),r(xe,{name:"Steps",more:t.step_ms?`${E(t.step_ms.p50/1e3)} each, p50`:void 0,children:S(t.steps)}),r(xe,{name:"Tasks an hour",
more:`on ${S(t.phones)} ${t.phones===1?"phone":"phones"}`,children:t.episodes_per_hour?S(t.episodes_per_hour):pe}),r(xe,{name:"Time",more:t.away_s?`${E(t.away_s)}\
 without a model`:void 0,children:E(t.wall_s)}),r(xe,{name:"Model calls",more:s.input?`${ue(s.cached/s.input)} cached`:void 0,children:S(s.calls)}),r(xe,{name:"\
Tokens in",more:`${U(s.output)} out`,children:U(s.input)})]})]})}function xe(e){return r("div",{class:"figure",children:[r("dt",{children:e.name}),r("dd",{children:[
r("b",{children:e.children}),e.more&&r("span",{children:e.more})]})]})}function vl({counts:e,total:t}){let n=fe.filter(a=>e.get(a)).reverse(),o=n.map(a=>`${e.get(
a)} ${a}`).join(", ");return r("div",{class:"figures-bar",role:"img","aria-label":o||"no tasks",children:n.map(a=>r("span",{style:{flexGrow:String((e.get(a)??0)/
t),background:`var(${j[a].fill})`}},a))})}var yl={given:"quiet",added:"good",changed:"accent",removed:"bad"};function _a({report:e}){let{lessons:t,summary:n}=e,o=n.learning;return t.length?r("div",{class:"\
lessons",children:[o&&r("p",{class:"quiet",children:[D(o.lessons,"lesson"),"; tips: ",wa(o.tips),"; shortcuts: ",wa(o.shortcuts),"."]}),t.map(a=>r("section",{class:"\
panel",children:[r("header",{class:"panel-head",children:[r("h2",{class:"clip",children:r("a",{href:oe(["episodes",a.episode]),children:a.task})}),r("span",{class:"\
faint mono clip",children:a.episode})]}),r("ul",{children:a.changes.map(i=>r("li",{class:"lesson",children:[r(A,{tone:yl[i.way],children:[i.way," ",i.kind]}),r(
"span",{class:"said",children:i.text}),r("span",{class:"faint mono clip",children:i.id})]},`${i.way} ${i.id}`))})]},a.episode))]}):r(X,{icon:"book",title:"Nothi\
ng was learned",children:o?`The learners were asked ${D(o.lessons+o.failed,"time")}, and added no tip and no shortcut.`:"Tips and shortcuts appear here if the r\
un's profile learns: see --profile."})}function wa(e){let{added:t,changed:n,removed:o}=e;return`${S(t)} added, ${S(n)} changed, ${S(o)} removed`}function ka({report:e}){let{summary:t}=e,n=[["Run",e.run],["Profile",t.profile],["Schedule",t.schedule],["Models",t.model_source],["Phones",t.phones_source],["P\
erception",t.perception_source]],o=Object.entries(t.models??{}).map(([i,s])=>[i,`${s.model} at ${s.servers.join(", ")}; ${s.dialect}, ${s.output}, temperature ${s.
temperature}, at most ${s.max_tokens} tokens`]),a=Jn(t.settings);return r("div",{class:"facts",children:[r(gt,{title:"About",facts:n.filter(([,i])=>i)}),r(gt,{title:"\
Models by role",facts:o}),r(gt,{title:"Versions",facts:Object.entries(t.versions??{})}),r(gt,{title:"Phones left out",facts:Object.entries(t.phones_left_out??{})}),
r(gt,{title:"Settings",facts:a,isMono:!0})]})}function gt({title:e,facts:t,isMono:n}){return t.length?r("section",{class:"panel",children:[r("header",{class:"pa\
nel-head",children:[r("h2",{children:e}),r(Le,{label:`Copy: ${e}`,text:()=>t.map(([o,a])=>`${o}: ${a}`).join(`
`)})]}),r("dl",{class:`facts-list${n?" mono":""}`,children:t.map(([o,a])=>r("div",{children:[r("dt",{class:"said",children:o}),r("dd",{class:"said",children:a})]},
o))})]}):null}function Jn(e,t=""){return e===null||typeof e!="object"?[[t,String(e)]]:Array.isArray(e)?e.every(n=>n===null||typeof n!="object")?[[t,e.join(", ")||
"none"]]:e.flatMap((n,o)=>Jn(n,`${t}[${o}]`)):Object.entries(e).flatMap(([n,o])=>Jn(o,t?`${t}.${n}`:n))}function Sa(e){let{name:t,title:n,options:o}=e,a=ve(t),i=M(null),s=M(null),l=Ye();if(o.length<2&&a.length===0)return null;let c=a.length===1?o.find(d=>d.value===
a[0])?.title??a[0]:S(a.length),u=d=>ye(t,a.includes(d)?a.filter(h=>h!==d):[...a,d]);return r(w,{children:[r("button",{ref:i,type:"button",class:`button filter-b\
utton${a.length?" filter-chosen":""}`,popovertarget:l,children:[n,a.length>0&&r("span",{class:"filter-value clip",children:c}),r(b,{name:"down",size:12})]}),r("\
div",{ref:s,id:l,class:"filter-list",popover:"auto",role:"group","aria-label":n,onToggle:()=>{!s.current?.matches(":popover-open")||!i.current||(Gt(s.current,i.
current.getBoundingClientRect()),s.current.querySelector("input")?.focus())},children:[o.map(d=>r("label",{class:"filter-option",children:[r("input",{type:"chec\
kbox",checked:a.includes(d.value),onChange:()=>u(d.value)}),r("span",{class:"clip",children:d.title??d.value}),r("span",{class:"num faint",children:S(d.count)})]},
d.value)),a.length>0&&r("button",{type:"button",class:"button button-quiet filter-clear",onClick:()=>ye(t,[]),children:"Clear"})]})]})}function Ea({name:e,label:t,placeholder:n}){let o=M(null);return ie("Search",[{key:"/",does:"search",run:()=>o.current?.focus()}]),r("label",{class:"search",children:[
r("span",{class:"unseen",children:t}),r(b,{name:"search"}),r("input",{ref:o,type:"search",class:"text-field",value:$(e),placeholder:n??t,spellcheck:!1,autocomplete:"\
off",onInput:a=>P({[e]:a.currentTarget.value}),onKeyDown:a=>a.key==="Escape"&&(P({[e]:""}),a.currentTarget.blur())})]})}var Dn=["verdict","ending","app","phone","tag","cause","q"],zn={verdict:e=>[e.verdict],ending:e=>[e.row.finished],app:e=>e.apps,phone:e=>Ta(e),tag:e=>e.tags,cause:e=>e.
cause?[e.cause]:[]};function Ta(e){let t=new Set(e.episodes.map(n=>n.phone).filter(Boolean));return e.row.phone&&t.add(e.row.phone),[...t]}function Ca(e){return[
...e].sort((t,n)=>fe.indexOf(t.verdict)-fe.indexOf(n.verdict)||n.duration_s-t.duration_s)}function vt(e,t){let n=Object.keys(zn).filter(a=>a!==t).map(a=>[zn[a],
new Set(ve(a))]).filter(([,a])=>a.size>0),o=$("q").toLowerCase().split(/\s+/).filter(Boolean);return e.filter(a=>n.every(([i,s])=>i(a).some(l=>s.has(l)))&&bl(a,
o))}function bl(e,t){if(!t.length)return!0;let n=[e.row.id,e.goal,e.row.reason,e.row.answer??"",...Ta(e),...e.apps,...e.tags,...e.episodes.map(o=>o.id),...e.row.
unmet.map(o=>`${o.expected} ${o.found}`)].join(`
`).toLowerCase();return t.every(o=>n.includes(o))}function Ma(e,t){let n=new Map;for(let a of e)for(let i of zn[t](a))n.set(i,(n.get(i)??0)+1);let o=t==="ending"?
re:a=>a;return[...n].sort(([a,i],[s,l])=>l-i||a.localeCompare(s,void 0,{numeric:!0})).map(([a,i])=>({value:a,title:o(a),count:i}))}function Ra(e){let{row:t}=e;if(e.
verdict==="done")return t.answer??"";let[n]=t.unmet,o=n?`expected ${n.expected}, found ${n.found}`:"";return t.finished==="finished"?o?`Said it was done, but ${o}`:
t.reason||"The check does not hold":[t.reason||re(t.finished),o].filter(Boolean).join("; ")}function Pa(e){let t=e.episodes.at(-1);return t?{path:["episodes",t.
id],choices:t.failure_step==null?{}:{step:t.failure_step}}:null}function Hn(){P(Object.fromEntries(Dn.map(e=>[e,""])))}function qn(){return Dn.some(e=>$(e)!=="")}function Wn({tasks:e}){let t=[["ending","Ending"],["app","App"],
["phone","Phone"],["tag","Tag"]];return r("div",{class:"filters",children:[r(xl,{tasks:vt(e,"verdict")}),r(Ea,{name:"q",label:"Search tasks",placeholder:"Goal, \
reason, phone, id"}),t.map(([n,o])=>r(Sa,{name:n,title:o,options:Ma(vt(e,n),n)},n)),qn()&&r(_,{kind:"quiet",icon:"cross",onClick:Hn,children:"Clear"})]})}function xl({
tasks:e}){let t=ve("verdict"),n=new Map;for(let a of e)n.set(a.verdict,(n.get(a.verdict)??0)+1);let o=fe.filter(a=>n.has(a)||t.includes(a));return r("div",{class:"\
verdicts",role:"group","aria-label":"Verdict",children:[r("button",{type:"button",class:"verdict","aria-pressed":t.length===0,onClick:()=>ye("verdict",[]),children:[
"All ",r("span",{class:"num",children:S(e.length)})]}),o.map(a=>r("button",{type:"button",class:"verdict","aria-pressed":t.includes(a),onClick:()=>ye("verdict",
t.length===1&&t[0]===a?[]:[a]),children:[r("i",{style:{background:`var(${j[a].fill})`}}),j[a].title," ",r("span",{class:"num",children:S(n.get(a)??0)})]},a))]})}var wl=68;function $a({tasks:e}){let t=Math.max(1,...e.map(o=>o.duration_s));return r(Zt,{caption:"Tasks of the run",rows:e,columns:[{id:"task",title:"Task",sort:o=>o.
row.id,cell:o=>r(_l,{task:o})},{id:"ending",title:"Ending",width:"150px",from:"m",sort:o=>o.row.finished,cell:o=>r(kl,{task:o})},{id:"phone",title:"Phone",width:"\
150px",from:"l",sort:o=>o.row.phone,cell:o=>r("div",{class:"clip mono quiet",children:o.row.phone??"no phone"})},{id:"steps",title:"Steps",width:"84px",from:"s",
num:!0,sort:o=>o.row.steps,cell:o=>S(o.row.steps)},{id:"attempts",title:"Attempts",width:"96px",from:"l",num:!0,sort:o=>o.row.attempts,cell:o=>r("span",{class:o.
row.attempts>1?"":"faint",children:S(o.row.attempts)})},{id:"time",title:"Time",width:"112px",num:!0,from:"s",sort:o=>o.duration_s,cell:o=>r(w,{children:[E(o.duration_s),
r("span",{class:"task-time","aria-hidden":"true",children:r("span",{style:{width:`${o.duration_s/t*100}%`}})})]})}],keyOf:o=>o.row.id,height:wl})}function _l({task:e}){
let t=Pa(e),n=j[e.verdict],o=Ra(e);return r("div",{class:"task-cell",children:[r(Yt,{screen:e.episodes.at(-1)?.last_screen,class:"task-picture"}),r("span",{class:`\
task-sign badge-${n.tone}`,title:n.title,children:r(b,{name:n.icon,size:12,label:n.title})}),r("div",{class:"task-words",children:[r("div",{class:"clip task-goa\
l",children:t?r("a",{class:"row-link",href:oe(t.path,t.choices),children:e.goal||e.row.id}):e.goal||e.row.id}),o&&r("div",{class:`clip task-story${e.verdict==="\
failed"?" task-why":""}`,children:o}),r("div",{class:"clip task-about",children:[r("span",{class:"mono",children:e.row.id}),e.apps.length>0&&r("span",{children:[
" \xB7 ",e.apps.join(", ")]}),e.tags.map(a=>r("span",{children:[" \xB7 #",a]},a)),r("span",{class:"task-small",children:[" \xB7 ",E(e.duration_s)]})]})]})]})}function kl({
task:e}){let t=e.row.finished==="finished"&&e.verdict==="failed";return r(A,{tone:j[e.verdict].tone,children:t?"check not met":re(e.row.finished)})}var La="run-panel";function Fa({report:e}){let t=L(()=>Ca(e.tasks),[e.tasks]),n=Ce.value,o=L(()=>vt(t),[t,n]),a=e.lessons.reduce((l,c)=>l+c.changes.length,0),i=[
{id:"tasks",title:"Tasks",count:e.tasks.length},{id:"timeline",title:"Timeline"},{id:"cost",title:"Cost"},{id:"lessons",title:"Learned",count:a},{id:"about",title:"\
About"}],s=i.find(l=>l.id===$("tab"))?.id??"tasks";return ie("Run",[{key:"j",does:"next task",run:()=>Aa(1)},{key:"k",does:"task before",run:()=>Aa(-1)},...i.map(
(l,c)=>({key:String(c+1),does:`show ${l.title.toLowerCase()}`,run:()=>P({tab:c?l.id:""})}))]),r("main",{class:"run",children:[r("header",{class:"run-head",children:[
r("h1",{class:"said",children:e.run}),r("p",{class:"run-about",children:[Tl(e).map(l=>r("span",{children:l},l)),Cl(e).map(l=>r(A,{tone:"warn",title:l,children:l.
split(/[,;]/)[0]},l))]}),r(xa,{report:e})]}),r(Dt,{tabs:i,current:s,onChange:l=>P({tab:l==="tasks"?"":l}),label:"Parts of the report",panel:La}),r("div",{class:"\
run-panel",id:La,role:"tabpanel","aria-label":i.find(l=>l.id===s)?.title??"",children:[s==="tasks"&&r(Sl,{report:e,ordered:t,shown:o}),s==="timeline"&&r(w,{children:[
r(Wn,{tasks:t}),e.phones.length?r(ma,{report:e,shown:o}):r(El,{}),r(Yo,{report:e})]}),s==="cost"&&r(ba,{summary:e.summary}),s==="lessons"&&r(_a,{report:e}),s===
"about"&&r(ka,{report:e})]})]})}function Sl(e){let{report:t,ordered:n,shown:o}=e;return n.length?r(w,{children:[r(ha,{causes:t.causes}),r(Wn,{tasks:n}),r("secti\
on",{class:"panel run-tasks","aria-label":"Tasks",children:o.length?r($a,{tasks:o}):r(X,{icon:"filter",title:"No task fits these filters",action:r(_,{onClick:Hn,
children:"Clear the filters"}),children:["The run has ",D(n.length,"task"),"."]})}),qn()&&r("p",{class:"unseen",role:"status",children:[D(o.length,"task")," sho\
wn"]})]}):r(X,{icon:"list",title:"The run has no tasks",children:"A run gets tasks by --goal, by a file of tasks or by a suite. Make the report again once it ha\
s some."})}function El(){return r(X,{icon:"clock",title:"No phone has run a task yet",children:"The timeline appears here once an episode has begun."})}function Tl({
summary:e,started_at:t}){return[t?`${Xt(t)} ${Jt(t)}`:"",E(e.wall_s),D(e.phones,"phone"),`profile ${e.profile}`,`schedule ${e.schedule}`].filter(Boolean)}function Cl({
summary:e}){return[e.model_source,e.phones_source,e.perception_source].filter(t=>t!=="")}function Aa(e){let t=[...document.querySelectorAll(".table .row-link")],
n=t.indexOf(document.activeElement),o=t.findIndex(i=>i.getBoundingClientRect().top>0),a=t[n<0?Math.max(0,o):n+e];a?.focus({preventScroll:!0}),a?.scrollIntoView(
{block:"nearest"})}var Oa=oe([]);function Ba(){let{path:e,choices:t}=Ce.value,n=jt("run"),o=n.state==="ready"?n.part.run:"Run",a=e[0]==="episodes"?e[1]:void 0;return T(()=>{a||(Oa=
oe(e,t)),document.title=a?`${a} \xB7 ${o}`:`${o} \xB7 Manyhands`},[a,o,t]),a?r(w,{children:[r(On,{crumbs:[{title:o,href:Oa},{title:a}],keys:!0}),r(Do,{id:a,isTrimmed:n.
state==="ready"&&n.part.is_trimmed},a)]}):r(w,{children:[r(On,{crumbs:[{title:o}],keys:!0}),r(Fn,{loading:n,children:i=>r(Fa,{report:i})})]})}function Fn({loading:e,
children:t}){if(e.state==="ready")return t(e.part);if(e.state==="loading")return r("p",{class:"unseen",role:"status",children:"Loading"});let n=e.error instanceof
We;return r("main",{children:r(X,{icon:"warning",title:n?"This part of the report is missing":"This part of the report cannot be read",action:r(_,{onClick:()=>location.
reload(),children:"Try again"}),children:[r("p",{class:"said",children:e.error.message}),r("p",{children:"Keep the folder of the report beside this page, or mak\
e the report again: manyhands report RUN"})]})})}vn();ar(r(Ba,{}),document.getElementById("app"));})();
