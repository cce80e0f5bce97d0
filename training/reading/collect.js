// Reads labels off a page: each visual line of each label with its words, in the order of the document.
() => {
  const hangs = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]/;
  const tokens = (text) => {
    // Words between blanks; a Chinese character may end a line, so each is one for now.
    const found = [];
    for (let i = 0; i < text.length; i++) {
      if (/\s/.test(text[i])) continue;
      const last = found[found.length - 1];
      const joins = last && last[1] === i && !hangs.test(text[i]) && !hangs.test(text[i - 1]);
      if (joins) last[1] = i + 1; else found.push([i, i + 1]);
    }
    return found;
  };
  const lines = [];
  const groups = [...document.querySelectorAll("[data-group]")];
  let order = 0;
  for (const element of document.querySelectorAll("[data-label]")) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let line = null;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const [from, to] of tokens(node.data)) {
        // A word that is hyphenated, or broken, has a rectangle on each line: its characters say which is on which.
        let part = null;
        const close = () => {
          if (!part) return;
          const middle = (part.box[1] + part.box[3]) / 2;
          const after = line && from > 0 && part.from === from && /\s/.test(node.data[from - 1]);
          if (!line || middle > line.box[3] || middle < line.box[1]) {
            line = { text: "", box: part.box.slice(), words: [], order: order++,
              group: groups.indexOf(element.closest("[data-group]")) };
            lines.push(line);
          } else if (after) line.text += " ";
          line.text += part.text;
          line.box = [Math.min(line.box[0], part.box[0]), Math.min(line.box[1], part.box[1]),
            Math.max(line.box[2], part.box[2]), Math.max(line.box[3], part.box[3])];
          line.words.push({ text: part.text, box: part.box });
          part = null;
        };
        for (let i = from; i < to; i++) {
          const range = document.createRange();
          range.setStart(node, i); range.setEnd(node, i + 1);
          const r = range.getBoundingClientRect();
          if (!r.width) { if (part) part.text += node.data[i]; continue; }
          if (part && r.top > part.box[3] - 2) { part.text += "-"; close(); }
          if (!part) part = { text: "", box: [r.left, r.top, r.right, r.bottom], from: i };
          part.text += node.data[i];
          part.box[2] = Math.max(part.box[2], r.right);
        }
        close();
      }
    }
  }
  return lines.filter((line) => line.box[3] <= innerHeight && line.box[2] <= innerWidth + 1);
}
