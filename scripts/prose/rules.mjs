import { splitSentences } from './sentences.mjs';

/** The most words of a sentence. Fewer than 25 is the rule; this is the limit. */
const MOST_WORDS = 30;

/** Clauses in the place of a subject. A question is none. */
const RELATIVE =
  /^["'(]*(?:(?:What|Who|Which)(?:ever)?|Whose|That which|Those (?:that|which|who)|Of (?:these|those|what|which))\b/;

/** Pronouns that stand for a noun; two in a sentence are a chain. */
const PRONOUNS = /\b(?:that|those) (?:of|that|which|who)\b|\bof (?:which|those|what)\b/gi;

/** Capitals with a number, names of things outside the project aside. */
const LABEL = /\b(?!(?:S3|V8)\b)[A-Z]{1,2}\d{1,3}\b/;

/** A number of something that stands in a list elsewhere. */
const NUMBER =
  /\b(?:case|check|decision|finding|issue|item|point|question|rule)s? #?\d+\b(?! [a-z])/i;

/** The faults of a sentence; `judge` returns what it should do instead. */
const RULES = {
  'sentence-length': ({ words }) =>
    words > MOST_WORDS
      ? `the sentence has ${words} words; write at most ${MOST_WORDS}: two sentences, or a list`
      : undefined,
  'relative-opening': ({ text }) => {
    const opening = text.endsWith('?') ? undefined : RELATIVE.exec(text)?.[0];
    return opening && `"${opening}" opens a relative clause; begin with the noun that acts`;
  },
  'pronoun-chain': ({ text }) => {
    const found = text.match(PRONOUNS) ?? [];
    return found.length > 1 ? `"${found.join('", "')}": say the nouns again` : undefined;
  },
  'repeated-word': ({ text }) => {
    const word = /(?:^|\s)(\p{Ll}+)\s+\1(?=[\s.,;:)]|$)/u.exec(text)?.[1];
    return word && `"${word}" stands there twice`;
  },
  'undefined-label': ({ unlinked }) => {
    const label = (LABEL.exec(unlinked) ?? NUMBER.exec(unlinked))?.[0];
    return label && `a reader can't look up "${label}": link it, or say what it is`;
  },
};

/**
 * Returns the rule as textlint takes it: it judges each sentence of paragraphs, and of the cells
 * below the header of a table.
 */
function makeRule(judge) {
  return (context) => {
    const { Syntax, RuleError, locator, getSource, report } = context;
    const visit = (node) => {
      for (const sentence of splitSentences(node, getSource())) {
        const message = judge(sentence);
        if (message === undefined) continue;
        const padding = locator.range([sentence.start, sentence.start + 1]);
        report(node, new RuleError(`${message}\n    ${sentence.raw}`, { padding }));
      }
    };
    const visitCell = (cell) => {
      const row = cell.parent;
      if (row.parent.children[0] !== row) visit(cell);
    };
    return { [Syntax.Paragraph]: visit, [Syntax.TableCell]: visitCell };
  };
}

/** The rules of the project's prose, as textlint's kernel takes them. */
export const PROSE_RULES = Object.entries(RULES).map(([ruleId, judge]) => ({
  ruleId,
  rule: makeRule(judge),
}));
