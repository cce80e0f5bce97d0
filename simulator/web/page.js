// Runs in every page before its own scripts: what Android's browser does and a headless Chromium does not, and what
// the simulator reads of a page. `devicePixelRatio` turns CSS pixels into those of the screen.
(() => {
  const listening = new WeakSet();
  const touches = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend"]);
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (touches.has(type) && this instanceof Element && this !== document.body) listening.add(this);
    return add.call(this, type, ...rest);
  };

  // A phone here has one tab: what asks for another one opens in it.
  window.open = (url) => { if (url) location.href = url; return window; };
  const oneTab = (event) => {
    const link = event.target instanceof Element && event.target.closest("a[target], form[target]");
    if (link && link.target !== "_self") link.target = "_self";
  };
  for (const type of ["click", "submit"]) add.call(window, type, oneTab, true);

  // ------------------------------------------------------------------ lists to choose from
  // Chromium opens a window of the desktop for a <select>, which no screenshot shows. Android shows a dialog.
  let picker = null;
  const closePicker = () => { picker?.remove(); picker = null; };
  const isClosedList = (target) => target instanceof HTMLSelectElement && !target.multiple && target.size < 2;
  const openPicker = (select) => {
    closePicker();
    picker = document.createElement("div");
    const root = picker.attachShadow({ mode: "open" });
    root.innerHTML = `<style>
      .veil { position: fixed; inset: 0; z-index: 2147483647; background: #0008; display: flex; align-items: center; }
      .list { margin: auto; min-width: 70%; max-width: 95%; max-height: 90%; overflow-y: auto; background: #fff;
              color: #111; font: 1rem sans-serif; border-radius: 4px; }
      .item { padding: 0.6em 1em; } .item.chosen { background: #d3e3fd; } .item.off { color: #999; }
    </style><div class="veil" role="dialog"><div class="list" role="listbox"></div></div>`;
    for (const option of select.options) {
      const item = document.createElement("div");
      item.className = `item${option.selected ? " chosen" : ""}${option.disabled ? " off" : ""}`;
      item.setAttribute("role", "radio");
      item.setAttribute("aria-checked", option.selected);
      item.setAttribute("aria-disabled", option.disabled);
      item.textContent = option.label || option.text;
      add.call(item, "click", () => {
        if (option.disabled) return;
        closePicker();
        const changes = !option.selected;
        option.selected = true;
        if (changes) for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, { bubbles: true }));
      });
      root.querySelector(".list").append(item);
    }
    add.call(root.querySelector(".veil"), "click", (event) => { if (event.target === event.currentTarget) closePicker(); });
    document.documentElement.append(picker);
  };
  add.call(window, "mousedown", (event) => { if (isClosedList(event.target)) event.preventDefault(); }, true);
  add.call(window, "click", (event) => {
    if (isClosedList(event.target) && !event.target.disabled) openPicker(event.target);
  }, true);

  // ------------------------------------------------------------------ the focused field
  const notTyped = new Set(["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"]);
  const isField = (node) => node instanceof Element && !node.disabled && !node.readOnly && (
    (node instanceof HTMLInputElement && !notTyped.has(node.type)) || node instanceof HTMLTextAreaElement || node.isContentEditable);
  const activeElement = () => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    if (node instanceof HTMLIFrameElement && node.contentDocument) node = node.contentDocument.activeElement;
    return node;
  };
  const selection = (field) => {
    const text = field.value ?? field.textContent;
    try { if (field.selectionStart != null) return [field.selectionStart, field.selectionEnd]; } catch { /* no such field */ }
    return [text.length, text.length];
  };

  // ------------------------------------------------------------------ the tree of views, as Chromium tells Android
  const WIDGET = {
    button: "Button", checkbox: "CheckBox", combobox: "Spinner", image: "Image", img: "Image", menuitemcheckbox: "CheckBox",
    menuitemradio: "RadioButton", meter: "ProgressBar", progressbar: "ProgressBar", radio: "RadioButton",
    searchbox: "EditText", slider: "SeekBar", spinbutton: "EditText", switch: "Switch", textbox: "EditText",
  };
  const CLICKABLE = new Set(["button", "checkbox", "combobox", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
    "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem"]);
  const INPUTS = { checkbox: "checkbox", radio: "radio", range: "slider", button: "button", submit: "button", reset: "button",
    image: "button", file: "button", color: "button" };
  const TAGS = { BUTTON: "button", SUMMARY: "button", SELECT: "combobox", TEXTAREA: "textbox", IMG: "image", PROGRESS: "progressbar",
    METER: "meter", OPTION: "option", H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading" };
  const NESTED = "a[href],button,input,select,textarea,[role],[onclick],[tabindex]";
  const roleOf = (el) => {
    const role = el.getAttribute("role")?.trim().split(/\s+/)[0];
    if (role && role !== "presentation" && role !== "none") return role;
    if (el.tagName === "INPUT") return INPUTS[el.type] ?? "textbox";
    if (el.tagName === "A") return el.hasAttribute("href") ? "link" : "";
    return TAGS[el.tagName] ?? (el.isContentEditable && !el.parentElement?.isContentEditable ? "textbox" : "");
  };
  const squeeze = (text) => (text ?? "").replace(/\s+/g, " ").trim();
  const labelOf = (el) => {
    const ids = el.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
    const named = squeeze(ids.map((id) => el.ownerDocument.getElementById(id)?.textContent ?? "").join(" "));
    const labels = el.labels ? squeeze([...el.labels].map((label) => label.textContent).join(" ")) : "";
    return named || squeeze(el.getAttribute("aria-label")) || labels || squeeze(el.getAttribute("alt"))
      || squeeze(el.getAttribute("title")) || squeeze(el.getAttribute("placeholder"));
  };
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const holds = (box) => box[2] > box[0] && box[3] > box[1];
  const inPixels = (box) => box.map((side) => Math.round(side * devicePixelRatio));
  const boxOf = (rect, shift) => [rect.left + shift[0], rect.top + shift[1], rect.right + shift[0], rect.bottom + shift[1]];

  const walk = (parent, clip, shift, named, into) => {
    const children = parent.shadowRoot ? parent.shadowRoot.childNodes
      : parent.tagName === "SLOT" && parent.assignedNodes().length ? parent.assignedNodes() : parent.childNodes;
    for (const child of children) {
      if (child.nodeType === Node.TEXT_NODE) addText(child, clip, shift, named, into);
      else if (child.nodeType === Node.ELEMENT_NODE) addElement(child, clip, shift, named, into);
    }
  };
  const addText = (node, clip, shift, named, into) => {
    const text = squeeze(node.data);
    if (!text || named) return;
    const range = node.ownerDocument.createRange();
    range.selectNodeContents(node);
    const box = meet(boxOf(range.getBoundingClientRect(), shift), clip);
    if (holds(box)) into.push({ kind: "android.widget.TextView", text, bounds: inPixels(box), children: [] });
  };
  const addElement = (el, clip, shift, named, into) => {
    if (["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD"].includes(el.tagName) || el.getAttribute("aria-hidden") === "true") return;
    const style = getComputedStyle(el);
    if (style.display === "none") return;
    const shown = style.visibility === "visible" && style.opacity !== "0";
    const own = boxOf(el.getBoundingClientRect(), shift);
    const box = style.display === "contents" ? clip : meet(own, style.position === "fixed" ? [0, 0, innerWidth, innerHeight] : clip);
    const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY)
      && (el.scrollHeight > el.clientHeight + 1 || el.scrollWidth > el.clientWidth + 1);
    const inner = style.overflowX !== "visible" || style.overflowY !== "visible" ? box : clip;
    const role = roleOf(el);
    const pointed = style.cursor === "pointer" && getComputedStyle(el.parentElement ?? el).cursor !== "pointer";
    const clickable = CLICKABLE.has(role) || listening.has(el) || !!el.onclick || pointed;
    const isText = role === "textbox" || role === "searchbox" || role === "spinbutton";
    if (!shown || !holds(box) || !(role in WIDGET || clickable || scrolls || role === "heading")) {
      if (el.tagName === "IFRAME" && shown && holds(box) && el.contentDocument?.body) {
        walk(el.contentDocument.body, box, [own[0] + el.clientLeft, own[1] + el.clientTop], false, into);
      } else if (el.tagName !== "SELECT" && style.opacity !== "0") walk(el, inner, shift, named || !shown, into);
      return;
    }
    const label = labelOf(el);
    const password = el.type === "password";
    const node = {
      kind: WIDGET[role] ? `android.widget.${WIDGET[role]}` : role === "heading" ? "android.widget.TextView" : "android.view.View",
      text: "", description: "", resource_id: el.id, bounds: inPixels(box), clickable, password, scrollable: scrolls,
      focusable: el.tabIndex >= 0, focused: activeElement() === el, checkable: false, checked: false,
      enabled: !el.disabled && el.getAttribute("aria-disabled") !== "true", long_clickable: false, children: [],
    };
    if (isText) {
      const value = el.value ?? el.innerText;
      node.text = password ? "•".repeat(value.length) : value;
      node.description = label;
    } else if (el.tagName === "SELECT") {
      node.text = squeeze(el.selectedOptions[0]?.label);
      node.description = label;
    } else if (role === "image" || role === "img") node.description = label;
    else if (el.tagName === "INPUT" && INPUTS[el.type] === "button") node.text = el.value || label || el.type;
    else if (label) node.text = label;
    else if (!scrolls && !el.querySelector(NESTED)) node.text = squeeze(el.innerText ?? el.textContent);
    if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role) || el.hasAttribute("aria-pressed")) {
      node.checkable = true;
      node.checked = el.checked ?? [el.getAttribute("aria-checked"), el.getAttribute("aria-pressed")].includes("true");
    }
    into.push(node);
    if (!isText && el.tagName !== "SELECT") walk(el, inner, shift, named || !!node.text, node.children);
  };

  window[Symbol.for("manyhands")] = {
    views() {
      const area = [0, 0, innerWidth, innerHeight];
      const page = document.scrollingElement ?? document.documentElement;
      const node = { kind: "android.webkit.WebView", text: document.title, bounds: inPixels(area), focusable: true, children: [],
        scrollable: page.scrollHeight > innerHeight + 1 || page.scrollWidth > innerWidth + 1 };
      walk(picker ?? document.body ?? document.documentElement, area, [0, 0], false, node.children);
      return node;
    },
    facts() {
      const field = activeElement();
      let page = null;
      try { page = window.manyhandsState?.() ?? null; } catch (error) { page = { error: String(error) }; }
      return { address: location.href, title: document.title, selection: isField(field) ? selection(field) : null,
        page };
    },
    selectAll() {
      const field = activeElement();
      if (!isField(field)) return false;
      if (field.select) field.select(); else field.ownerDocument.getSelection().selectAllChildren(field);
      return true;
    },
    closePicker() { const open = picker !== null; closePicker(); return open; },
  };
})();
