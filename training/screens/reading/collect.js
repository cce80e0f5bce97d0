// Reads every label off the page: its lines, their words and where each is, in CSS pixels, in the order of the DOM.
(() => {
  const WIDE = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef\u201c\u201d\u2026]/;
  const OPENING = /^[（《“‘「【([{¥￥$€£]+$/;
  const HYPHEN = "\u00ad";
  const segmenter = new Intl.Segmenter("zh", { granularity: "word" });
  const canvas = document.createElement("canvas").getContext("2d");

  // The number of the word that each character belongs to; blanks have none. Chinese has words without blanks.
  function wordsOf(text) {
    const numbers = new Array(text.length).fill(-1);
    let number = 0;
    for (const found of text.matchAll(/\S+/g)) {
      let last = "";
      const parts = WIDE.test(found[0]) ? [...segmenter.segment(found[0])] : [{ segment: found[0], index: 0, isWordLike: true }];
      for (const { segment, index, isWordLike } of parts) {
        const joins = last && (OPENING.test(last) || (!isWordLike && !OPENING.test(segment)) ||
          (/[!-~]$/.test(last) && /^[!-~]/.test(segment)));
        if (last && !joins) number += 1;
        numbers.fill(number, found.index + index, found.index + index + segment.length);
        last = segment;
      }
      number += 1;
    }
    return numbers;
  }

  function charactersOf(label) {
    const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    const found = [];
    let text = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.closest("[data-t]") !== label) continue;
      const range = document.createRange();
      let at = 0;
      for (const character of node.data) {
        range.setStart(node, at);
        range.setEnd(node, at + character.length);
        // Behind a soft hyphen a character has a rectangle of no width on the line before as well.
        const rects = [...range.getClientRects()];
        const rect = rects.findLast((each) => each.width > 0) || rects[0];
        if (rect) found.push({ character, rect, index: text.length + at, element: node.parentElement });
        at += character.length;
      }
      text += node.data;
    }
    return { found, text };
  }

  function linesOf(found) {
    const lines = [];
    let before = null;
    for (const each of found) {
      const below = before && each.rect.top + each.rect.height / 2 > before.rect.bottom - before.rect.height * 0.1;
      const above = before && each.rect.bottom - each.rect.height / 2 < before.rect.top; // the next column
      if (!before || above || (below && each.rect.left < before.rect.right)) lines.push([]);
      lines[lines.length - 1].push(each);
      if (each.character !== HYPHEN) before = each;
    }
    return lines;
  }

  // Rows that a word's letters paint, from the font's own measures about the baseline.
  function rowsOf(text, { rect, element }) {
    const style = getComputedStyle(element);
    canvas.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const size = canvas.measureText(text);
    const baseline = rect.top + (rect.height - size.fontBoundingBoxAscent - size.fontBoundingBoxDescent) / 2 + size.fontBoundingBoxAscent;
    return [baseline - size.actualBoundingBoxAscent, baseline + size.actualBoundingBoxDescent];
  }

  function wordsIn(line, numbers, divided) {
    const words = [];
    let number = null;
    for (const each of line) {
      if (each.character === HYPHEN || !each.character.trim()) continue;
      if (numbers[each.index] !== number) words.push({ text: "", first: each, left: Infinity, right: -Infinity, start: each.index });
      number = numbers[each.index];
      const word = words[words.length - 1];
      word.text += each.character;
      word.end = each.index + each.character.length;
      word.left = Math.min(word.left, each.rect.left);
      word.right = Math.max(word.right, each.rect.right);
    }
    if (divided && words.length) {
      const last = words[words.length - 1];
      last.text += "-";
      canvas.font = getComputedStyle(last.first.element).font;
      last.right += canvas.measureText("-").width;
    }
    return words.map(({ text, first, left, right, start, end }) => {
      const [top, bottom] = rowsOf(text, first);
      return { text, box: [left, top, right, bottom], start, end };
    });
  }

  // Whether something lies over a place: "seen", "dimmed" by a scrim, or "hidden".
  function standing(element, [left, top, right, bottom]) {
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!hit || hit.contains(element) || element.contains(hit)) return "seen";
    if (hit.classList.contains("scrim")) return "dimmed";
    const over = hit.closest("[data-g='dialog'], .float");
    return over && !over.contains(element) ? "hidden" : "seen";
  }

  const clipOf = (element) => {
    const holder = element.closest("[data-clip]");
    const rect = (holder || document.documentElement).getBoundingClientRect();
    return [rect.left, rect.top, rect.right, rect.bottom];
  };

  const groupOf = (element, groups) => {
    const holder = element.closest("[data-g]");
    return holder ? `${holder.dataset.g} ${groups.indexOf(holder)}` : "";
  };

  window.collect = () => {
    const groups = [...document.querySelectorAll("[data-g]")];
    const texts = [], icons = [];
    for (const [number, label] of [...document.querySelectorAll("[data-t]")].entries()) {
      const { found, text } = charactersOf(label);
      const numbers = wordsOf(text);
      const lines = linesOf(found);
      lines.forEach((line, place) => {
        const visible = line.filter((each) => each.character !== HYPHEN);
        const last = visible.length ? visible[visible.length - 1].index : 0;
        const next = lines[place + 1] && lines[place + 1].find((each) => each.character !== HYPHEN);
        const divided = Boolean(next) && numbers[next.index] === numbers[last] && numbers[last] >= 0 &&
          text.slice(last + 1, next.index).includes(HYPHEN);
        const words = wordsIn(line, numbers, divided);
        if (!words.length) return;
        const cut = clipOf(label);
        texts.push({
          label: number, words, clip: cut, standing: standing(label, words[0].box), group: groupOf(label, groups),
          minor: label.hasAttribute("data-minor"), lead: place === 0 ? label.dataset.lead || "" : "",
          text: text.slice(words[0].start, last + 1).replaceAll(HYPHEN, "").replace(/\s+/g, " ").trim() + (divided ? "-" : ""),
        });
      });
    }
    for (const icon of document.querySelectorAll("[data-icon]")) {
      const rect = icon.getBoundingClientRect();
      const box = [rect.left, rect.top, rect.right, rect.bottom];
      icons.push({
        box, clip: clipOf(icon), standing: standing(icon, box), name: icon.dataset.icon, set: icon.dataset.set, raw: icon.dataset.raw,
        minor: Boolean(icon.closest("[data-minor]")), group: groupOf(icon, groups), drawn: icon.tagName === "svg",
      });
    }
    const ignore = [...document.querySelectorAll("[data-ignore]")].map((element) => {
      const rect = element.getBoundingClientRect();
      const clip = clipOf(element), box = [rect.left, rect.top, rect.right, Math.min(rect.bottom, clip[3])];
      return standing(element, box) === "hidden" ? null : box;
    }).filter((box) => box && box[3] > box[1]);
    return { texts, icons, ignore };
  };

  // Paints nothing of the texts and icons; what then differs from the page as it was is their ink.
  window.hide = () => {
    const ranges = [...document.querySelectorAll("[data-t]")].map((label) => {
      const range = document.createRange();
      range.selectNodeContents(label);
      return range;
    });
    CSS.highlights.set("hidden", new Highlight(...ranges));
    const style = document.createElement("style");
    style.id = "hide";
    style.textContent = "::highlight(hidden) { color: transparent; text-shadow: none; text-decoration: none } [data-icon] { visibility: hidden !important }";
    document.head.append(style);
  };

  // The same for one word of one line, so that tests see which pixels are its own.
  window.hideWord = (label, word) => {
    const [start, end] = word;
    const walker = document.createTreeWalker(document.querySelectorAll("[data-t]")[label], NodeFilter.SHOW_TEXT);
    const node = walker.nextNode();
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    CSS.highlights.set("hidden", new Highlight(range));
    const style = document.createElement("style");
    style.textContent = "::highlight(hidden) { color: transparent; text-shadow: none; text-decoration: none }";
    document.head.append(style);
  };
})();
