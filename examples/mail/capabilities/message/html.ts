import { Tokenizer } from 'htmlparser2';

/** Elements whose text nobody reads. */
const HIDDEN = new Set(['script', 'style', 'title', 'template', 'noscript', 'textarea']);

/** Elements within a line; at any other one the line ends. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

/** Returns the text of HTML: without tags, comments, scripts and styles, a line for each block. */
export function readHtml(html: string): string {
  const lines = new TextOfHtml(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, lines);
  tokenizer.write(html);
  tokenizer.end();
  return lines.text
    .replace(/[^\S\n\u00a0]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Collects text from the calls of the tokenizer. Attributes and comments have none. */
class TextOfHtml {
  readonly #html: string;
  readonly #pieces: string[] = [];
  #hidden: string | null = null;

  constructor(html: string) {
    this.#html = html;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  ontext(start: number, end: number): void {
    if (this.#hidden === null)
      this.#pieces.push(this.#html.slice(start, end).replaceAll('\n', ' '));
  }

  ontextentity(codePoint: number): void {
    if (this.#hidden === null) this.#pieces.push(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    const name = this.#name(start, end);
    if (this.#hidden === null && HIDDEN.has(name)) this.#hidden = name;
    if (!INLINE.has(name)) this.#pieces.push('\n');
  }

  onclosetag(start: number, end: number): void {
    const name = this.#name(start, end);
    if (this.#hidden === name) this.#hidden = null;
    if (!INLINE.has(name)) this.#pieces.push('\n');
  }

  #name(start: number, end: number): string {
    return this.#html.slice(start, Math.min(end, start + 20)).toLowerCase();
  }

  onattribdata = ignore;
  onattribend = ignore;
  onattribentity = ignore;
  onattribname = ignore;
  oncdata = ignore;
  oncomment = ignore;
  ondeclaration = ignore;
  onend = ignore;
  onopentagend = ignore;
  onprocessinginstruction = ignore;
  onselfclosingtag = ignore;
}

function ignore(): undefined {
  return undefined;
}
