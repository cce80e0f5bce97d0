// Brings one page after another to life inside a document that has loaded a UI kit.
(() => {
  let unmount = () => {};

  const MOUNTS = {
    html: (app, markup) => {
      app.innerHTML = markup;
      return () => { app.innerHTML = ""; };
    },
    vue: (app, markup, library) => {
      const instance = window.Vue.createApp({ template: markup, data: () => ({ yes: true, no: false }) });
      instance.use(window[library]);
      instance.mount(app);
      return () => instance.unmount();
    },
    react: (app, markup, library, theme) => {
      // React wants styles as objects and `class` by another name; templates are shared with the other kits.
      const styled = (text) => Object.fromEntries(text.split(";").filter((rule) => rule.includes(":")).map((rule) => {
        const at = rule.indexOf(":"), name = rule.slice(0, at).trim();
        return [name.startsWith("--") ? name : name.replace(/-(.)/g, (_, c) => c.toUpperCase()), rule.slice(at + 1).trim()];
      }));
      const create = (type, props, ...children) => {
        const { class: className, style, ...rest } = props || {};
        if (className) rest.className = className;
        if (style) rest.style = typeof style === "string" ? styled(style) : style;
        return React.createElement(type, rest, ...children);
      };
      const html = window.htm.bind(create), kit = window[library];
      const tree = new Function("html", "K", "dark", "return html`" + markup + "`")(html, kit, theme === "dark");
      const root = ReactDOM.createRoot(app);
      ReactDOM.flushSync(() => root.render(tree));
      return () => root.unmount();
    },
  };

  const frames = (count) => new Promise((done) => {
    const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : done());
    next(count);
  });

  const deep = (root, selector) => [...root.querySelectorAll(selector)].concat(
    [...root.querySelectorAll("*")].filter((e) => e.shadowRoot).flatMap((e) => deep(e.shadowRoot, selector)));

  async function settled() {
    for (let waited = 0; waited < 120; waited += 1) {
      await frames(1);
      const pending = [...document.querySelectorAll("*")].some((e) =>
        (e.tagName.startsWith("ION-") && !e.classList.contains("hydrated")) || (e.tagName === "IMG" && !e.complete));
      if (!pending) break;
    }
    await document.fonts.ready;
    await frames(2);
  }

  const still = document.createElement("style");
  still.textContent = "*, *::before, *::after { transition: none !important; animation: none !important; " +
    "caret-color: transparent !important; scroll-behavior: auto !important; pointer-events: auto !important; }";

  const held = (library) => {
    if (library && !window[library]) throw new Error(`the kit's scripts did not define ${library}`);
    return library;
  };

  window.show = async ({ mount, library, markup, before, after, glyphs, root, theme, scroll, style, full, restyle }) => {
    unmount();
    for (const attribute of [...document.documentElement.attributes]) document.documentElement.removeAttribute(attribute.name);
    for (const [name, value] of Object.entries(root)) for (const holder of [document.documentElement, document.body]) holder.setAttribute(name, value);
    document.documentElement.dataset.theme = theme;
    document.head.append(still);
        document.body.innerHTML = `<div id="phone" class="${full ? "mh-full" : ""}" style="${style}">${before}<div id="app"></div>${after}</div>`;
    if (restyle) new Function(restyle)();
    unmount = MOUNTS[mount](document.getElementById("app"), markup, held(library), theme);
    await settled();
    for (const holder of deep(document, "[data-glyph]")) holder.innerHTML = glyphs[holder.dataset.glyph];
    for (const scroller of deep(document, ".mh-scroll")) scroller.scrollTop = scroll * Math.max(0, scroller.scrollHeight - scroller.clientHeight);
    await frames(2);
  };
})();
