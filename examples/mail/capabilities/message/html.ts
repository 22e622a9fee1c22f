import { Tokenizer } from 'htmlparser2';

/** Elements whose text nobody reads. */
const HIDDEN = new Set(['script', 'style', 'title', 'template', 'noscript', 'textarea']);

/** Elements within a line; at any other one the line ends. */
const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup tt u var wbr'.split(
    ' ',
  ),
);

const NO_ATTRIBUTES: ReadonlySet<string> = new Set();

/**
 * Returns the text of HTML: without tags, comments, scripts and styles, a line for each block. Of
 * attributes it has those that are named.
 */
export function readHtml(html: string, attributes = NO_ATTRIBUTES): string {
  const lines = new TextOfHtml(html, attributes);
  const tokenizer = new Tokenizer({ decodeEntities: true }, lines);
  tokenizer.write(html);
  tokenizer.end();
  return lines.text
    .replace(/[^\S\n\u00a0]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Collects text from the calls of the tokenizer. Comments have none. */
class TextOfHtml {
  readonly #html: string;
  readonly #pieces: string[] = [];
  readonly #attributes: ReadonlySet<string>;
  #hidden: string | null = null;
  #isInAttribute = false;

  constructor(html: string, attributes: ReadonlySet<string>) {
    this.#html = html;
    this.#attributes = attributes;
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

  onattribname(start: number, end: number): void {
    this.#isInAttribute = this.#hidden === null && this.#attributes.has(this.#name(start, end));
    if (this.#isInAttribute) this.#pieces.push(' ');
  }

  onattribdata(start: number, end: number): void {
    if (this.#isInAttribute) this.#pieces.push(this.#html.slice(start, end));
  }

  onattribentity(codePoint: number): void {
    if (this.#isInAttribute) this.#pieces.push(String.fromCodePoint(codePoint));
  }

  onattribend(): void {
    if (this.#isInAttribute) this.#pieces.push(' ');
    this.#isInAttribute = false;
  }

  #name(start: number, end: number): string {
    return this.#html.slice(start, Math.min(end, start + 20)).toLowerCase();
  }

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
