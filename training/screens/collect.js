// Reads labels off the page: icons, lines of text and places to ignore, with boxes in CSS pixels.
// Boxes come from geometry (SVG shapes, element and text rectangles); what is clipped by an ancestor, covered by
// another element or dimmed by a scrim is found by walking up the tree and by asking what lies at sample points.
(() => {
  const up = (node) => node.assignedSlot || node.parentNode || node.host || null;

  function* everything(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* everything(element.shadowRoot);
    }
  }

  const select = (selector) => {
    const [outer, inner] = selector.split(">>>").map((part) => part.trim());
    const hosts = [...everything(document)].filter((e) => e.matches(outer));
    return inner ? hosts.flatMap((host) => [...(host.shadowRoot || host).querySelectorAll(inner)]) : hosts;
  };

  const isWithin = (node, ancestor) => {
    for (let n = node; n; n = up(n)) if (n === ancestor) return true;
    return false;
  };

  const alphaOf = (colour) => {
    const parts = colour.match(/[\d.]+/g) || [];
    return parts.length > 3 ? Number(parts[3]) : colour === "transparent" ? 0 : 1;
  };

  const boxOf = (r) => [r.left, r.top, r.right, r.bottom];
  const area = (b) => Math.max(0, b[2] - b[0]) * Math.max(0, b[3] - b[1]);
  const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
  const join = (a, b) =>
    a ? [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])] : b;

  // The painted extent of an SVG: geometry plus half the stroke, of shapes that paint something.
  function inkOfSvg(svg) {
    let ink = null;
    for (const shape of svg.querySelectorAll("path,circle,ellipse,rect,line,polyline,polygon,use")) {
      if (shape.closest("defs,clipPath,mask,symbol,pattern,marker")) continue;
      const style = getComputedStyle(shape);
      const stroked = style.stroke !== "none" && alphaOf(style.stroke) > 0;
      const filled = style.fill !== "none" && alphaOf(style.fill) > 0;
      if (!(stroked || filled) || style.display === "none" || Number(style.opacity) < 0.1) continue;
      const matrix = shape.getScreenCTM();
      if (!matrix) continue;
      const g = shape.getBBox();
      if (!stroked && (g.width === 0 || g.height === 0)) continue;
      const pad = stroked ? parseFloat(style.strokeWidth) / 2 : 0;
      for (const [x, y] of [[g.x - pad, g.y - pad], [g.x + g.width + pad, g.y - pad],
        [g.x - pad, g.y + g.height + pad], [g.x + g.width + pad, g.y + g.height + pad]]) {
        const p = new DOMPoint(x, y).matrixTransform(matrix);
        ink = join(ink, [p.x, p.y, p.x, p.y]);
      }
    }
    return ink && meet(ink, boxOf(svg.getBoundingClientRect()));
  }

  function inkOf(element) {
    const inside = element.shadowRoot ? [...everything(element.shadowRoot)] : [];
    const svgs = element.tagName === "svg" ? [element]
      : [...element.querySelectorAll("svg"), ...inside.filter((e) => e.tagName === "svg")];
    return svgs.map(inkOfSvg).filter((b) => b && area(b) > 0).reduce(join, null);
  }

  function clipOf(element) {
    let clip = [0, 0, innerWidth, innerHeight];
    for (let n = up(element); n; n = up(n)) {
      if (n.nodeType !== 1 || n === document.body || n === document.documentElement) continue;
      const style = getComputedStyle(n);
      if (style.overflowX !== "visible" || style.overflowY !== "visible" || style.clipPath !== "none")
        clip = meet(clip, boxOf(n.getBoundingClientRect()));
    }
    return clip;
  }

  function opacityOf(element) {
    let opacity = 1;
    for (let n = element; n; n = up(n)) {
      if (n.nodeType !== 1) continue;
      const style = getComputedStyle(n);
      if (style.visibility === "hidden" && n === element) return 0;
      opacity *= Number(style.opacity);
    }
    return opacity;
  }

  function stackAt(root, x, y) {
    const stack = [];
    for (const element of root.elementsFromPoint(x, y)) {
      if (element.getRootNode() !== root) continue;
      if (element.shadowRoot) stack.push(...stackAt(element.shadowRoot, x, y));
      stack.push(element);
    }
    return stack;
  }

  const coverOf = (element) => {
    if (element instanceof SVGElement && element.tagName !== "svg") return 0;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden") return 0;
    const own = ["IMG", "CANVAS", "VIDEO"].includes(element.tagName) || style.backgroundImage.includes("url(")
      ? 1 : style.backgroundImage !== "none" ? 0.5 : alphaOf(style.backgroundColor);
    return own * opacityOf(element);
  };

  // Share of the box that is neither clipped nor covered, and how strongly it is dimmed.
  function visibility(element, box, grid) {
    const seen = meet(box, clipOf(element));
    if (area(box) === 0 || area(seen) === 0) return { seen, share: 0, dimmed: 0 };
    let open = 0, dimmed = 0;
    for (const [fx, fy] of grid) {
      const x = seen[0] + fx * (seen[2] - seen[0]), y = seen[1] + fy * (seen[3] - seen[1]);
      let shade = 0;
      for (const other of stackAt(document, x, y)) {
        if (isWithin(other, element) || isWithin(element, other)) break;
        if (other.matches(".mh-dot")) continue; // a badge hides no icon
        shade = Math.max(shade, coverOf(other));
      }
      if (shade < 0.75) open += 1;
      dimmed = Math.max(dimmed, shade < 0.75 ? shade : 0);
    }
    return { seen, share: (area(seen) / area(box)) * (open / grid.length), dimmed };
  }

  const ICON_GRID = [0.1, 0.5, 0.9].flatMap((y) => [0.1, 0.5, 0.9].map((x) => [x, y]));
  const TEXT_GRID = [[0.02, 0.5], [0.35, 0.5], [0.65, 0.5], [0.98, 0.5]];

  function icons(controls, glyphs, kit) {
    const found = [];
    const add = (element, box, name) => {
      if (!box || opacityOf(element) < 0.3) return;
      found.push({ ...name, box, minor: !!element.closest("[data-minor]"), ...visibility(element, box, ICON_GRID) });
    };
    for (const element of select("[data-icon]")) {
      const [set, raw] = element.dataset.icon.split(":");
      const ink = inkOf(element);
      if (element.dataset.box !== "rect") add(element, ink, { set, raw });
      else add(element, boxOf(element.getBoundingClientRect()), { set, raw, ink });
    }
    for (const [selector, raw] of Object.entries(controls)) {
      const [whole, parts] = selector.split("|").map((part) => part.trim());
      for (const element of select(whole)) {
        const pieces = parts ? [...element.querySelectorAll(parts)] : [element];
        add(element, pieces.map((p) => boxOf(p.getBoundingClientRect())).reduce(join, null), { set: kit, raw });
      }
    }
    for (const [selector, raw] of Object.entries(glyphs))
      for (const element of select(selector)) add(element, inkOf(element), { set: kit, raw });
    return found.filter((icon) => icon.share > 0);
  }

  const canvas = document.createElement("canvas").getContext("2d");
  const transformed = (text, style) =>
    style.textTransform === "uppercase" ? text.toUpperCase()
      : style.textTransform === "lowercase" ? text.toLowerCase()
      : style.textTransform === "capitalize" ? text.replace(/(^|\s)\S/g, (c) => c.toUpperCase()) : text;

  // From the line's rectangle (ascent and descent of the font) to the rows that its letters paint.
  function lineBox(rect, text, style) {
    canvas.font = style.font;
    const m = canvas.measureText(text);
    const height = m.fontBoundingBoxAscent + m.fontBoundingBoxDescent;
    const baseline = rect.top + (m.fontBoundingBoxAscent / height) * rect.height;
    return [rect.left, baseline - m.actualBoundingBoxAscent, rect.right, baseline + m.actualBoundingBoxDescent];
  }

  function linesOf(node) {
    const range = document.createRange();
    const lines = [];
    for (const part of node.data.matchAll(/\s+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+/g)) {
      range.setStart(node, part.index);
      range.setEnd(node, part.index + part[0].length);
      const rects = [...range.getClientRects()].filter((r) => r.width > 0.1);
      if (!rects.length) continue;
      const r = rects[0], last = lines[lines.length - 1];
      if (last && Math.abs(last.rect.top - r.top) < r.height / 2) {
        last.text += part[0];
        last.rect = { left: Math.min(last.rect.left, r.left), right: Math.max(last.rect.right, r.right), top: r.top, height: r.height };
        last.broken ||= rects.length > 1;
      } else if (part[0].trim()) {
        lines.push({ text: part[0], rect: { left: r.left, right: r.right, top: r.top, height: r.height }, broken: rects.length > 1 });
      }
    }
    return lines.filter((line) => line.text.trim());
  }

  function texts() {
    const found = [], hidden = [];
    const roots = [document, ...[...everything(document)].filter((e) => e.shadowRoot).map((e) => e.shadowRoot)];
    for (const root of roots) {
      const walker = document.createTreeWalker(root === document ? document.body : root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const holder = node.parentElement || node.getRootNode().host;
        if (!node.data.trim() || !holder || holder.closest("svg,style,script,template,[data-icon],[data-nolabel]")) continue;
        const style = getComputedStyle(holder);
        if (style.visibility === "hidden" || opacityOf(holder) < 0.25) continue;
        const lines = linesOf(node).map((line) => {
          const text = transformed(line.text.trim(), style), box = lineBox(line.rect, text, style);
          // An element whose own overflow cuts the line clips it too, so that a cut text is not labelled in full.
          const own = getComputedStyle(holder).overflowX === "visible" ? box : meet(box, boxOf(holder.getBoundingClientRect()));
          const seen = visibility(holder, box, TEXT_GRID);
          const share = Math.min(seen.share, area(own) / area(box));
          return { text, box, minor: !!holder.closest("[data-minor]"), ...seen, share, broken: line.broken };
        });
        const cut = lines.some((line) => line.share < 0.97 || line.broken);
        for (const line of lines) {
          if (line.share <= 0) continue;
          if (cut) hidden.push(meet(line.box, line.seen));
          else found.push(line);
        }
      }
    }
    for (const field of select("input,textarea")) {
      const text = (field.value || field.placeholder || "").trim(), r = field.getBoundingClientRect();
      if (!text || r.width < 8 || ["checkbox", "radio", "range"].includes(field.type) || opacityOf(field) < 0.25) continue;
      const style = getComputedStyle(field);
      canvas.font = style.font;
      const m = canvas.measureText(text), left = r.left + parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
      const room = r.right - parseFloat(style.paddingRight) - left;
      const start = style.textAlign === "center" ? left + (room - m.width) / 2 : style.textAlign === "right" ? left + room - m.width : left;
      const height = m.fontBoundingBoxAscent + m.fontBoundingBoxDescent;
      const top = field.tagName === "TEXTAREA" ? r.top + parseFloat(style.paddingTop) : (r.top + r.bottom - height) / 2;
      const box = lineBox({ left: start, right: start + m.width, top, height }, text, style);
      const seen = visibility(field, box, TEXT_GRID);
      if (m.width > room || seen.share < 0.97) { if (seen.share > 0) hidden.push(seen.seen); }
      else found.push({ text, box, minor: !!field.closest("[data-minor]"), ...seen });
    }
    return { found, hidden };
  }

  window.collect = ({ controls, glyphs, ignore, kit }) => {
    const { found, hidden } = texts();
    const places = select("[data-ignore]").concat(ignore.flatMap(select));
    const ignored = places.map((e) => meet(boxOf(e.getBoundingClientRect()), clipOf(e))).filter((b) => area(b) > 0);
    return { icons: icons(controls, glyphs, kit), texts: found, cut: hidden, ignore: ignored };
  };
})();
