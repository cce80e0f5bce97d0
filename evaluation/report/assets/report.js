"use strict";(()=>{var h,je,pe,N,le,te,$e,Y,Ue,ve,he,vt,R=Symbol.for("pv"),ne={},ie=[],dt=/^m(i|n|o|s|text|space)$/,de=Array.isArray,me=ie.slice,O=Object.assign;function z(t){t&&t.
parentNode&&t.remove()}function ze(t,e,n){var i,r,o,_={},f=arguments.length;for(o in e)o=="key"?i=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:_[o]=e[o];return f>
2&&(_.children=f>3?me.call(arguments,2):n),q(t,_,i,r,null)}function q(t,e,n,i,r){var o={type:t,props:e,key:n,ref:i,__k:null,__:null,__b:0,__e:null,__c:null,constructor:R,__v:r||++je,__i:-1,__u:0};return!r&&h.vnode&&h.vnode(
o),o}function P(t){return t.children}function V(t,e){this.props=t,this.context=e,this.__g=0}function j(t,e){if(e==null)return t.__&&j(t.__,t.__i+1);for(var n;e<t.__k.
length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:j(t)}function mt(t){var e,n=t.__v,i=n.__e,r=[],o=[],_=t.__P;_&&
((e=O({constructor:R},n)).__v=n.__v+1,h.vnode&&h.vnode(e),ye(_,e,n,t.__n,_.namespaceURI,32&n.__u?[i]:null,r,i||j(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,Ie(
r,e,o),n.__=n.__e=null,e.__e!=i&&Oe(e))}function Oe(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),Oe(t)}
function Ae(t){(8&t.__g||(t.__g|=8,N.push(t),te++))&&le==h.debounceRendering||((le=h.debounceRendering)||queueMicrotask)(Le)}function Le(){try{for(var t,e=1;N.length;)
N.length>e&&N.sort($e),t=N.shift(),e=N.length,8&t.__g&&mt(t)}finally{(te=N.length)&&(le||queueMicrotask)(Le)}}function De(t,e,n,i,r,o,_,f,a,c,s){var g,d,u,l,x,v,
y=i.__k||ie,p=e.length;for(a=yt(n,e,y,a,p),g=0;g<p;g++)(u=n.__k[g])!=null&&(d=~u.__i&&y[u.__i]||ne,u.__i=g,v=ye(t,u,d,r,o,_,f,a,c,s),l=u.__e,(d.ref!=u.ref||8&d.
__u)&&(d.ref&&ge(d.ref,null,u,d),u.ref&&s.push(u.ref,u.__c||l,u)),x=x||l,4&u.__u?(a=Fe(u,a,t,!d.__v),d.__e&&(d.__e=null)):typeof u.type=="function"&&v!==void 0?
a=v:l&&(a=l.nextSibling),u.__u&=-21);return n.__e=x,a}function yt(t,e,n,i,r){var o,_,f,a,c,s,g,d,u,l=n.length,x=l,v=0,y=0,p=t.__k=Array(r);for(o=0;o<r;o++)(_=e[o])!=
null&&typeof _!="boolean"&&typeof _!="function"?(typeof _!="object"||_.constructor===String?_=p[o]=q(null,_):de(_)?_=p[o]=q(P,{children:_}):_.constructor===R&&_.
__b?_=p[o]=q(_.type,_.props,_.key,_.ref,_.__v):p[o]=_,a=o+v,_.__=t,_.__b=t.__b+1,f=null,~(c=_.__i=gt(_,n,a,x))&&(x--,(f=n[c])&&(f.__u|=2)),f&&f.__v?(_.__u|=16,c==
a-1?v--:c==a+1?v++:c!=a&&(c>a?v--:v++,y=1)):(~c||(r>l?v--:r<l&&v++),typeof _.type!="function"&&(_.__u|=4))):p[o]=null;if(y){for(s=[],g=[],o=0;o<r;o++)if((_=p[o])&&
16&_.__u){for(v=0,d=s.length;v<d;)s[u=v+d>>1]<_.__i?v=u+1:d=u;s[v]=_.__i,g[o]=v+1}for(v=s.length;o--;)g[o]&&(g[o]==v?v--:p[o].__u|=4)}if(x)for(o=0;o<l;o++)!(f=n[o])||
2&f.__u||(f.__e==i&&(i=j(f)),Me(f,f));return i}function Fe(t,e,n,i){var r,o,_,f;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)
r[o]&&(r[o].__=t,e=Fe(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=j(t))&&!e.parentNode&&(e=null),_=t.__e,f=e;f&&f.nodeType==8;)f=f.nextSibling;for(_!=f&&(!i&&
n.moveBefore&&_.parentNode?n.moveBefore(_,e):n.insertBefore(_,e||null)),e=_;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function gt(t,e,n,i){var r,o=t.key,_=t.type,f=e[n],a=f&&!(2&f.__u);if(f===null&&o==null||a&&o==f.key&&_==f.type)return n;if(i>(a?1:0)){for(r=n-1;r>=0;r--)if((f=
e[r])&&!(2&f.__u)&&o==f.key&&_==f.type)return r;for(r=n+1;r<e.length;r++)if((f=e[r])&&!(2&f.__u)&&o==f.key&&_==f.type)return r}return-1}function Ne(t,e,n){n==null&&
(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Q(t,e,n,i,r){var o,_;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof i=="string"&&(t.style.
cssText=i=""),i)for(e in i)n&&e in n||Ne(t.style,e);if(n)for(e in n)i&&n[e]==i[e]||Ne(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),
typeof i!="function"&&(i=null),(t.__e||(t.__e={}))[e]=n,n&&i||(_=he[e]||(he[e]=Mt(e)),(t.__a||(t.__a={}))[e]=ve,o=e!=(e=e.replace(Ue,"$1")),(e=e.slice(2))[0]<"a"&&
(e=e.toLowerCase()),n?t.addEventListener(e,_,o):t.removeEventListener(e,_,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)
try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Mt(t){
return function(e){var n=this.__e;if(n){if(n=n[t],e[Y]==null)e[Y]=ve++;else if(e[Y]<this.__a[t])return;return n(h.event?h.event(e):e)}}}function ye(t,e,n,i,r,o,_,f,a,c){
var s,g,d,u,l,x,v,y,p,w,M,ce,Pe,K,$,Ee,A,U,H=e.type;if(e.constructor!==R)return null;128&n.__u&&(a=32&n.__u,s=n.__c.__z)&&(e.__u|=a,g=o=[],s.nodeType==8?f=ee(s,
o):o.push(s),f=o[0]||f),(s=h.__b)&&s(e);e:if(typeof H=="function"){d=_.length;try{if(y=e.props,p=(s=H.prototype)&&s.render,w=(s=H.contextType)&&i[s.__c],M=s?w?w.
props.value:s.__:i,(u=n.__c)?(e.__c=u,2&u.__g&&(u.__g|=1)):(p?e.__c=u=new H(y,M):(e.__c=u=new V(y,M),u.constructor=H,u.render=kt),w&&w.sub(u),u.state||(u.state=
{}),u.__n=i,u.__g|=8,u.__h=[],u.__k=[]),p&&(u.__s||(u.__s=u.state),H.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=O({},u.__s)),O(u.__s,H.getDerivedStateFromProps(
y,u.__s)))),l=u.props,x=u.state,u.__v=e,n.__c){if(y!==l&&p&&!H.getDerivedStateFromProps&&u.componentWillReceiveProps&&u.componentWillReceiveProps(y,M),e.__v==n.
__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&u.shouldComponentUpdate(y,u.__s,M)===!1){e.__v!=n.__v&&(u.props=y,u.state=u.__s,u.__g&=-9),e.__e=n.__e,e.__k=
n.__k,e.__k.some(function(C){C&&(C.__=e)}),ie.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&_.push(u),f=j(n);break e}u.componentWillUpdate&&u.componentWillUpdate(
y,u.__s,M),p&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(l,x,v)})}else p&&!H.getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),
p&&u.componentDidMount&&u.__h.push(u.componentDidMount);u.context=M,u.props=y,u.__P=t,u.__g&=-5,ce=h.__r,Pe=p?25:0;do u.__g&=-9,ce&&ce(e),s=u.render(u.props,u.state=
u.__s,u.context);while(8&u.__g&&++Pe<25);p&&(ie.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(i=O({},i,u.getChildContext())),p&&n.__c&&u.getSnapshotBeforeUpdate&&
(v=u.getSnapshotBeforeUpdate(l,x)),K=s&&s.type===P&&s.key==null?s.props.children:s,y.__P&&(s=f,r=(t=y.__P).namespaceURI,a=o=null,n.props&&n.props.__P!=t&&(n.__k.
some(function(C){C&&Me(C,C)}),n.__k=null),f=n.__k?j(n,0):null),f=De(t,de(K)?K:[K],e,n,i,r,o,_,f,a,c),y.__P&&(e.__e=null,f=s),e.__u&=-161,g&&g.some(z),u.__h.length&&
_.push(u),1&u.__g&&(u.__g&=-4)}catch(C){if(_.length=d,e.__v=null,a||o)if(C&&C.then){if(e.__u|=128|a,o){for(~(A=o.indexOf(f||void 0))||(A=o.length);(U=o[A-1])&&U.
nodeType==8;)A--;for(;A<o.length;A++)if(U=o[A])if(o[A]=null,$){if(U==Ee)break}else{if(U.nodeType!=8)break;U.data.startsWith("$s")&&(Ee=ee($=U))}}if(!$){for(;f&&
f.nodeType==8&&f.nextSibling;)f=f.nextSibling;$=f}(s=ee($=e.__c.__z||(e.__c.__z=$)))?(e.__e=$,f=s):e.__e=f,f=f&&f.nextSibling}else o&&o.some(z);else e.__e=n.__e;
e.__k||(e.__k=n.__k||[]),C&&C.then||Ve(e),h.__e(C,e,n)}}else f=e.__e=bt(n.__e,e,n,i,r,o,_,a,c,t);return(s=h.diffed)&&s(e),f}function ee(t,e){if(t&&t.nodeType==8&&
t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(
t)}}function Ve(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(Ve))}function Ie(t,e,n){for(var i=0;i<n.length;)ge(n[i++],n[i++],n[i++]);h.__c&&h.__c(e,t),t.some(
function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){h.__e(o,r.__v)}})}function bt(t,e,n,i,r,o,_,f,a,c){var s,g,d,u,l,x,v,y,p=n.props||ne,w=e.
props,M=e.type;if(M=="svg"?r="http://www.w3.org/2000/svg":M=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(s=0;s<o.
length;s++)if((l=o[s])&&(M?l.localName==M:l.nodeType==3)){t=l,o[s]=null;break}}if(!t){if(y=c.ownerDocument||document,!M)return y.createTextNode(w);t=y.createElementNS(
r,M,w.is?w:c),f&&(h.__m&&h.__m(e,o),f=!1),o=null}if(M){if(c=M=="template"&&t.content||t,o=M=="textarea"&&w.defaultValue!=null?null:o&&me.call(c.childNodes),!f&&
o)for(p={},s=0;s<t.attributes.length;s++)p[(l=t.attributes[s]).name]=l.value;for(s in p)l=p[s],s=="dangerouslySetInnerHTML"?d=l:s=="children"||s in w||s=="value"&&
"defaultValue"in w||s=="checked"&&"defaultChecked"in w||Q(t,s,null,l,r);for(s in w)l=w[s],s=="children"?u=l:s=="dangerouslySetInnerHTML"?g=l:s=="value"?x=l:s=="\
checked"?v=l:f&&typeof l!="function"||p[s]===l||Q(t,s,l,p[s],r);g?(f||d&&(g.__html==d.__html||g.__html==t.innerHTML)||(t.innerHTML=g.__html),e.__k=[]):(d&&(t.textContent=
""),(M=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&dt.test(M))&&(r="http://www.w3.org/1999/xhtml"),De(c,de(u)?u:[u],e,n,i,r,o,_,o?o[0]:n.__k&&j(n,
0),f,a),o&&o.some(z)),f&&M!="textarea"||(s="value",M=="progress"&&x==null?t.removeAttribute(s):x==null||x===t[s]&&(M!="progress"||x)||Q(t,s,x,p[s],r),s="checked",
v!=null&&v!=t[s]&&Q(t,s,v,p[s],r))}else p===w||f&&t.data==w||(t.data=w);return t}function ge(t,e,n,i){try{typeof t=="function"?e?e.__x=t(e)||1:i&&(i=i.__c||i.__e)&&
(e=i.__x)&&(i.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){h.__e(r,n)}}function Me(t,e,n){var i,r,o,_;if(h.unmount&&h.unmount(t),!(i=t.ref)||
i.current&&i.current!=t.__e||ge(i,null,e,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(f){h.__e(f,e)}i.__P=i.__n=null}if(i=t.__k)for(_=
0;_<i.length;_++)i[_]&&Me(i[_],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(i=t.__c)&&(i=i.__z)&&(r=ee(i,o=[]))&&(i==t.__e&&o.some(z),z(r),z(i)),n||z(t.__e),
t.__e=t.__c=t.__=null}function kt(t,e,n){return this.constructor(t,n)}function We(t,e){var n,i,r,o;h.__&&h.__(t,e),e.nodeType==9&&(e=e.documentElement),i=(n=t&&
32&t.__u)?null:e.__k,e.__k=q(P,{children:[t]}),r=[],o=[],ye(e,e.__k,i||ne,ne,e.namespaceURI,i?null:e.firstChild?me.call(e.childNodes):null,r,i?i.__e:e.firstChild,
n,o),Ie(r,e.__k,o),e.__k.props.children=null}h={__e:function(t,e,n,i){for(var r,o,_;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((_=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(
t)),r.componentDidCatch&&(r.componentDidCatch(t,i||{}),_=1),_&&8&r.__g)return void(r.__g|=2)}catch(f){t=f}}throw te=0,t}},je=0,pe=function(t){return t!=null&&t.
constructor===R},V.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=O({},this.state)),typeof t=="function"&&(t=t(O({},n),this.props)),
t&&(O(n,t),this.__v&&(e&&this.__k.push(e),Ae(this)))},V.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),Ae(this))},V.prototype.render=
P,N=[],te=0,$e=function(t,e){return t.__v.__b-e.__v.__b},Y=Symbol(),Ue=/(PointerCapture)$|Capture$/i,ve=0,he={},vt=0;var xt=Symbol.for("pv"),wt=0;function T(t,e,n,i,r,o){e||(e={});var _,f,a=e;if("ref"in a&&typeof t!="function")for(f in a={},e)f=="ref"?_=e[f]:a[f]=e[f];var c={type:t,props:a,key:n,ref:_,__k:null,
__:null,__b:0,__e:null,__c:null,constructor:xt,__v:--wt,__i:-1,__u:0};return(r||o)&&(c.__source=r,c.__self=o),h.vnode&&h.vnode(c),c}var St={check:"M3.5 8.5l3 3 6-7",cross:"M4 4l8 8M12 4l-8 8",warning:"M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",info:"M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
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
5-2"};function qe({name:t,size:e=16,label:n}){return T("svg",{class:"icon",width:e,height:e,viewBox:"0 0 16 16",fill:"none",stroke:"currentColor","stroke-width":"\
1.5","stroke-linecap":"round","stroke-linejoin":"round",role:n?"img":void 0,"aria-label":n,"aria-hidden":n?void 0:"true",focusable:"false",children:T("path",{d:St[t]})})}function Re(t){return T("div",{class:"empty",children:[t.icon&&T(qe,{name:t.icon,size:24}),T("p",{class:"empty-title",children:t.title}),t.children&&T("div",{class:"\
empty-text",children:t.children}),t.action]})}var ke,S,be,Be,Ct=Object.is,Je=0,nt=[],xe=[],b=h,Xe=b.__b,Ge=b.__r,Ze=b.diffed,Ke=b.__c,Qe=b.unmount,Ye=b.__;function Tt(t,e){b.__h&&b.__h(S,t,Je||e),Je=0;var n=S.
__H||(S.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function Se(t,e){var n=Tt(ke++,7);return Et(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Ht(){var t;do{for(;t=xe.shift();)try{B(t)}catch(n){b.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=nt.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(B),e.__h.some(
we),e.__h=[]}catch(n){e.__h=[],b.__e(n,t.__v)}}}while(xe.length)}b.__b=function(t){S=null,Xe&&Xe(t)},b.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),Ye&&
Ye(t,e)},b.__r=function(t){Ge&&Ge(t),ke=0;var e=(S=t.__c).__H;e&&(be==S?S.__h=[]:(e.__h.some(B),e.__h.some(we),ke=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=
n.__N),n.u=n.__N=void 0})),be=S},b.diffed=function(t){Ze&&Ze(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&tt(nt.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.
u)})),be=S=null},b.__c=function(t,e){e.some(function(n){try{n.__h.some(B),n.__h=n.__h.filter(function(i){return!i.__||we(i)})}catch(i){n.__h=[function(){throw i}]}}),
Ke&&Ke(t,e)},b.unmount=function(t){Qe&&Qe(t);var e,n,i=t.__c;i&&i.__H&&(i.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.
__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,tt(xe.push(r))}else B(r)}catch(o){e=o}}),i.__H=void 0,e&&b.__e(e,i.__v))};var et=typeof requestAnimationFrame=="function";function Pt(t){
var e,n=function(){clearTimeout(i),et&&cancelAnimationFrame(e),setTimeout(t)},i=setTimeout(n,35);et&&(e=requestAnimationFrame(n))}function tt(t){t!=1&&Be==b.requestAnimationFrame||
((Be=b.requestAnimationFrame)||Pt)(Ht)}function B(t){var e=S,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),S=e}function we(t){var e=S;t.__c=t.__(),S=e}function Et(t,e){
return!t||t.length!=e.length||e.some(function(n,i){return!Ct(n,t[i])})}var At=Symbol.for("preact-signals");function ue(){if(E>1)E--;else{var t,e=!1;for((function(){var r=re;for(re=void 0;r!==void 0;){var o=r.S;if(o.v===r.v)for(var _=o.
t;_!==void 0;_=_.x)_.i===r.i&&(_.i=o.i);r=r.o}})();X!==void 0;){var n=X;for(X=void 0,oe++;n!==void 0;){var i=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&ot(n))try{n.c()}catch(r){
e||(t=r,e=!0)}n=i}}if(oe=0,E--,e)throw t}}function Te(t){if(E>0)return t();Ce=++Nt,E++;try{return t()}finally{ue()}}var J,m=void 0;function G(t){var e=m,n=J;m=void 0,
J=void 0;try{return t()}finally{m=e,J=n}}var X=void 0,E=0,oe=0,Nt=0,Ce=0,re=void 0,_e=0;function it(t){if(m!==void 0){var e=t.n;if(e===void 0||e.t!==m)return e=
{i:0,S:t,p:m.s,n:void 0,t:m,e:void 0,x:void 0,r:e},m.s!==void 0&&(m.s.n=e),m.s=e,t.n=e,32&m.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==
void 0&&(e.p.n=e.n),e.p=m.s,e.n=void 0,m.s.n=e,m.s=e),e}}function k(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,this.Z=e?.unwatched,
this.name=e?.name}k.prototype.brand=At;k.prototype.h=function(){return!0};k.prototype.S=function(t){var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==
void 0?n.e=t:G(function(){var i;(i=e.W)==null||i.call(e)}))};k.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,i=t.x;n!==void 0&&(n.x=i,t.e=void 0),
i!==void 0&&(i.e=n,t.x=void 0),t===this.t&&(this.t=i,i===void 0&&G(function(){var r;(r=e.Z)==null||r.call(e)}))}};k.prototype.subscribe=function(t){var e=this;return F(
function(){var n=e.value;G(function(){return t(n)})},{name:"sub"})};k.prototype.valueOf=function(){return this.value};k.prototype.toString=function(){return this.
value+""};k.prototype.toJSON=function(){return this.value};k.prototype.peek=function(){var t=this;return G(function(){return t.value})};Object.defineProperty(k.
prototype,"value",{get:function(){var t=it(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(oe>100)throw new Error("Cycle detecte\
d");(function(n){E!==0&&oe===0&&n.l!==Ce&&(n.l=Ce,re={S:n,v:n.v,i:n.i,o:re})})(this),this.v=t,this.i++,_e++,E++;try{for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{
ue()}}}});function L(t,e){return new k(t,e)}function ot(t){for(var e=t.s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function rt(t){
for(var e=t.s;e!==void 0;e=e.n){var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function _t(t){for(var e=t.s,n=void 0;e!==void 0;){
var i=e.p;e.i===-1?(e.S.U(e),i!==void 0&&(i.n=e.n),e.n!==void 0&&(e.n.p=i)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),e=i}t.s=n}function D(t,e){k.call(this,void 0,
e),this.x=t,this.s=void 0,this.g=_e-1,this.f=4}D.prototype=new k;D.prototype.h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===
_e))return!0;if(this.g=_e,this.f|=1,this.i>0&&!ot(this))return this.f&=-2,!0;var t=m;try{rt(this),m=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&(this.
v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return m=t,_t(this),this.f&=-2,!0};D.prototype.S=function(t){if(this.t===void 0){this.f|=36;for(var e=this.
s;e!==void 0;e=e.n)e.S.S(e)}k.prototype.S.call(this,t)};D.prototype.U=function(t){if(this.t!==void 0&&(k.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;
for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};D.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(
D.prototype,"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=it(this);if(this.h(),t!==void 0&&(t.i=this.i),16&this.f)throw this.v;return this.
v}});function fe(t,e){return new D(t,e)}function ut(t){var e=t.j;if(t.j=void 0,typeof e=="function"){E++;var n=m;m=void 0;try{e()}catch(i){throw t.f&=-2,t.f|=8,
He(t),i}finally{m=n,ue()}}}function He(t){for(var e=t.s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,ut(t)}function jt(t){if(m!==this)throw new Error("Out-of\
-order effect");_t(this),m=t,this.f&=-2;try{8&this.f&&He(this)}finally{ue()}}function I(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=void 0,this.f=32,this.name=
e?.name,J&&J.push(this)}I.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{
t()}};I.prototype.S=function(){if(1&this.f)throw new Error("Cycle detected");this.f|=1,this.f&=-9,ut(this),rt(this),E++;var t=m;return m=this,jt.bind(this,t)};I.
prototype.N=function(){2&this.f||(this.f|=2,this.u=X,X=this)};I.prototype.d=function(){this.f|=8,1&this.f||He(this)};I.prototype.dispose=function(){this.d()};function F(t,e){
var n=new I(t,e);try{n.c()}catch(r){throw n.d(),r}var i=n.d.bind(n);return i[Symbol.dispose]=i,i}var ft,ae,se,$t=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__;var st=[];F(function(){ft=this.N})();function W(t,e){h[t]=e.bind(null,h[t]||function(){})}function Z(t){if(se){var e=se;se=void 0,e()}se=t&&t.S()}function at(t){
var e=this,n=t.data,i=zt(n);i.name="ReactiveDom",i.value=n;var r=Se(function(){for(var f=e,a=e.__v;a=a.__;)if(a.__c){a.__c.__$f|=4;break}var c=fe(function(){var u=i.
value.value;return u===0?0:u===!0?"":u||""}),s=fe(function(){return!Array.isArray(c.value)&&!pe(c.value)}),g=F(function(){if(this.N=ct,s.value){var u=c.value;f.
__v&&f.__v.__e&&f.__v.__e.nodeType===3&&(f.__v.__e.data=u)}}),d=e.__$u.d;return e.__$u.d=function(){g(),d.call(this)},[s,c]},[]),o=r[0],_=r[1];return o.value?_.
peek():_.value}at.displayName="ReactiveTextNode";Object.defineProperties(k.prototype,{constructor:{configurable:!0,value:ze(P,null).constructor},type:{configurable:!0,
value:at},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},__b:{configurable:!0,value:1}});W("__b",function(t,e){if(Z(),
ae=void 0,typeof e.type=="string"){var n,i=e.props;for(var r in i)if(r!=="children"){var o=i[r];o instanceof k&&(n||(e.__np=n={}),n[r]=o,i[r]=o.peek())}}t(e)});
W("__r",function(t,e){if(t(e),e.type!==P){Z();var n,i=e.__c;i&&(i.__$f&=-2,(n=i.__$u)===void 0&&(i.__$u=n=(function(r,o){var _;return F(function(){_=this},{name:o}),
_.c=r,_})((function(r){return function(){var o;$t&&((o=this.y)==null||o.call(this)),r.__$f|=1,r.setState({})}})(i),typeof e.type=="function"?e.type.displayName||
e.type.name:""))),ae=i,Z(n)}});W("__e",function(t,e,n,i){Z(),ae=void 0,t(e,n,i)});W("diffed",function(t,e){Z(),ae=void 0;var n;if(typeof e.type=="string"&&(n=e.
__e)){var i=e.__np,r=e.props,o=n.U;if(o)for(var _ in o){var f=o[_];f===void 0||i&&_ in i||(f.d(),o[_]=void 0)}if(i){o||(o={},n.U=o);for(var a in i){var c=o[a],s=i[a];
c===void 0?(c=Ut(n,a,s,r),o[a]=c):c.o(s,r)}}}t(e)});function Ut(t,e,n,i){var r=e in t&&t.ownerSVGElement===void 0,o=L(n);return{o:function(_,f){o.value=_,i=f},d:F(
function(){this.N=ct;var _=o.value.value;i[e]!==_&&(i[e]=_,r?t[e]=_:_!=null&&(_!==!1||e[4]==="-")?t.setAttribute(e,_):t.removeAttribute(e))})}}W("unmount",function(t,e){
if(typeof e.type=="string"){var n=e.__e;if(n){var i=n.U;if(i){n.U=void 0;for(var r in i){var o=i[r];o&&o.d()}}}var _=e.__np;if(_){var f=e.props;for(var a in _)f[a]=
_[a]}e.__np=void 0}else{var c=e.__c;if(c){c.__$f|=8;var s=c.__$u;s&&(c.__$u=void 0,s.d())}}t(e)});W("__h",function(t,e,n,i){i<3&&(e.__$f|=2),t(e,n,i)});V.prototype.
shouldComponentUpdate=function(t,e){if(this.__R)return!0;var n=this.__$u,i=n&&n.s!==void 0;for(var r in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===
!0){var o=2&this.__$f;if(!(i||o||4&this.__$f)||1&this.__$f)return!0}else if(!(i||4&this.__$f)||3&this.__$f)return!0;for(var _ in t)if(_!=="__source"&&t[_]!==this.
props[_])return!0;for(var f in this.props)if(!(f in t))return!0;return!1};function zt(t,e){return Se(function(){return L(t,e)},[])}var Ot=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Lt(){Te(function(){for(var t;t=st.shift();)ft.call(t)})}function ct(){st.push(this)===1&&(h.requestAnimationFrame||Ot)(Lt)}var Dt="manyhands-theme",lt=L(Ft());function Ft(){try{let t=localStorage.getItem(Dt);return t==="light"||t==="dark"?t:"system"}catch{return"system"}}function ht(){let t=document.documentElement;lt.value==="system"?delete t.dataset.theme:t.dataset.theme=lt.value,pt.value+=1}var pt=L(0);matchMedia("(prefers-co\
lor-scheme: dark)").addEventListener("change",()=>{pt.value+=1});ht();We(T(Re,{title:"No data",children:"The report has no data."}),document.getElementById("app"));})();
