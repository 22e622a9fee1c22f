/** Abbreviations: the full stop behind one ends no sentence. */
const ABBREVIATIONS = /(?:^|[\s(])(?:approx|cf|e\.g|fig|i\.e|no|resp|vs)\.$/i;

/** The end of a sentence, in front of a capital or a digit that the next one begins with. */
const END = /[.?!]+["')\]]*(?=\s+(?:["'([]*[\p{Lu}\d]|"))/gu;

/** A word: anything between spaces with a letter or a digit. */
const WORD = /\S*[\p{L}\d]\S*/gu;

/**
 * Returns the text of a node of the syntax tree in as many characters as its Markdown has, so that
 * places stay. Marks and addresses are spaces, code is one capital word. If `links` is false, the
 * words of links are spaces too.
 */
function maskMarkdown(node, source, links) {
  const mask = Array(node.raw.length).fill(' ');
  const start = node.range[0];
  const write = (text, at) => {
    for (let index = 0; index < text.length; index += 1) {
      mask[at - start + index] = text[index] === '\n' ? ' ' : text[index];
    }
  };
  const visit = (child) => {
    const [from, to] = child.range;
    if (child.type === 'Str') write(source.slice(from, to), from);
    if (child.type === 'Code') write('X'.repeat(to - from), from);
    if (!links && /^Link/.test(child.type)) return;
    for (const one of child.children ?? []) visit(one);
  };
  visit(node);
  return mask.join('');
}

/** Returns the places behind which a new sentence begins. */
function findEnds(text) {
  return [...text.matchAll(END)]
    .map((match) => match.index + match[0].length)
    .filter((end) => !ABBREVIATIONS.test(text.slice(0, end)));
}

/** Returns a sentence as it is written, with the marks before its first word. */
function readRaw(raw, start, end) {
  const marks = /[*_[]*$/.exec(raw.slice(0, start))?.[0].length ?? 0;
  return raw.slice(start - marks, end).replace(/\s+/g, ' ');
}

/**
 * Splits a paragraph or a cell of a table into sentences. Each has `text` (code as a row of `X`),
 * `unlinked` (the same without links), `words` (their number; code is one), `raw` (as written) and
 * `start` (its place in the node).
 */
export function splitSentences(node, source) {
  const text = maskMarkdown(node, source, true);
  const unlinked = maskMarkdown(node, source, false);
  let from = 0;
  return [...findEnds(text), text.length].flatMap((to) => {
    const start = from + text.slice(from, to).search(/\S|$/);
    from = to;
    const sentence = text.slice(start, to).trimEnd();
    if (sentence === '') return [];
    return [
      {
        text: sentence,
        unlinked: unlinked.slice(start, to),
        words: sentence.match(WORD)?.length ?? 0,
        raw: readRaw(node.raw, start, start + sentence.length),
        start,
      },
    ];
  });
}
