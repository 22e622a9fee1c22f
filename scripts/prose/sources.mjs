import ts from 'typescript';

/** Comments that tools read, and lines that only divide. */
const DIRECTIVE = /^(?:biome-ignore|@ts-|#__|\/?\s*<|[-=#]+$)/;

/** A message: it begins with a capital, has five words at least, and ends as a sentence does. */
const MESSAGE = /^["'(]?[A-Z][^\n;{}]*(?: [^\s]+){4,}[.?!:]["')]?$/;

/** True for a literal in which nothing is a comment. */
function isText(node) {
  return ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node);
}

/** Returns the text of strings and templates that `+` joins, or undefined; a value is an `X`. */
function joinText(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => `X${span.literal.text}`);
    return `${node.head.text}${parts.join('')}`;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) {
    return undefined;
  }
  const [left, right] = [joinText(node.left), joinText(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? 'X'}${right ?? 'X'}`;
}

/** Returns the literals of a source, in which nothing is a comment, and the messages among them. */
function readLiterals(file) {
  const literals = [];
  const messages = [];
  const visit = (node, isInside) => {
    if (isText(node)) literals.push([node.getStart(file), node.end]);
    const text = isInside ? undefined : joinText(node);
    if (text !== undefined && MESSAGE.test(text)) {
      messages.push({ start: node.getStart(file), lines: [text] });
    }
    const isWhole = text !== undefined && ts.isBinaryExpression(node);
    ts.forEachChild(node, (child) => visit(child, isWhole));
  };
  visit(file, false);
  return { literals, messages };
}

/** Returns the lines of a comment without its marks. */
function readLines(text) {
  if (text.startsWith('//')) return [text.replace(/^\/\/ ?/, '')];
  const inner = text.slice(2, -2).replace(/^\*/, '');
  return inner.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').replace(/^@\w+ ?/, ''));
}

/** Returns the comments of a source; lines of `//` below each other are one. */
function readComments(source, literals) {
  const comments = [];
  const pattern = /\/\/.*|\/\*[\s\S]*?\*\//g;
  let next = 0;
  let last;
  for (let match = pattern.exec(source); match !== null; match = pattern.exec(source)) {
    while ((literals[next]?.[1] ?? Infinity) <= match.index) next += 1;
    const [from, to] = literals[next] ?? [Infinity, 0];
    if (from <= match.index) {
      pattern.lastIndex = to;
      continue;
    }
    const lines = readLines(match[0]);
    if (DIRECTIVE.test(lines[0])) continue;
    const isLine = match[0].startsWith('//');
    if (isLine && last?.isLine && /^\n[ \t]*$/.test(source.slice(last.end, match.index))) {
      last.lines.push(...lines);
    } else {
      last = { start: match.index, lines, isLine };
      comments.push(last);
    }
    last.end = match.index + match[0].length;
  }
  return comments;
}

/**
 * Returns the comments of a source, and its messages if `withMessages` is true, as one Markdown
 * text with a blank line between two. `places` has the line in the source of each of its lines.
 */
export function readProse(name, source, withMessages) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const { literals, messages } = readLiterals(file);
  const text = [];
  const places = [];
  const comments = readComments(source, literals);
  for (const { start, lines } of withMessages ? [...comments, ...messages] : comments) {
    const first = file.getLineAndCharacterOfPosition(start).line + 1;
    lines.forEach((line, index) => {
      text.push(line);
      places.push(first + index);
    });
    text.push('');
    places.push(first + lines.length - 1);
  }
  return { text: text.join('\n'), places };
}
