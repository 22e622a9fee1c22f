import type { Requirement, Section } from './requirements.js';

const SOURCE =
  'Generated from conform/ledger/requirements.yaml by npm run page --workspace conform. ' +
  'Do not edit.';

const HEAD = `# Conformance

<!-- ${SOURCE} -->

This page counts the rules of RFC 8620, 8887, 9404, 9425 and 9670 that this server is shown to keep.
In the repository conform/README.md tells how to run the checks against any JMAP server, and
conform/ledger/requirements.yaml has every rule with its checks and tests.`;

const NOT_SHOWN = `## Rules that nothing shows

Each line has the section, its rule, with the level if it isn't must, and the reason.`;

/** Returns the page as Markdown: counts, then each rule of servers that nothing shows, and why. */
export function renderPage(sections: readonly Section[]): string {
  const lines = sections.flatMap((section) => renderNotShown(section));
  return `${[HEAD, renderCounts(sections), NOT_SHOWN, lines.join('\n')].join('\n\n')}\n`;
}

function isShown({ checks, tests }: Requirement): boolean {
  return checks.length + tests.length > 0;
}

/** Returns a line for each reason in a section: its rule, or the number of its rules. */
function renderNotShown({ specification, number, rules }: Section): readonly string[] {
  const document = specification.replace('RFC ', 'rfc');
  const place = `https://www.rfc-editor.org/rfc/${document}#section-${number}`;
  const byReason = new Map<string, string[]>();
  for (const each of rules.filter((rule) => rule.binds === 'server' && !isShown(rule))) {
    const { level, rule, reason = '' } = each;
    const words = level === 'must' ? rule : rule.replace(/\.$/, ` (${level}).`);
    byReason.set(reason, [...(byReason.get(reason) ?? []), words]);
  }
  return [...byReason].map(([reason, words]) => {
    const what = words.length === 1 ? words[0] : `${words.length} rules.`;
    return `- [${specification} ${number}](${place}): ${what} *${reason}*`;
  });
}

function renderCounts(sections: readonly Section[]): string {
  const names = [...new Set(sections.map(({ specification }) => specification))];
  const rows = names.map((name) => {
    const rules = sections.filter((one) => one.specification === name).flatMap((one) => one.rules);
    return renderCount(name, rules);
  });
  return [
    '| | rules for servers | shown by checks | by tests alone | not shown | rules for others |',
    '|---|---|---|---|---|---|',
    ...rows,
    renderCount(
      'all',
      sections.flatMap(({ rules }) => rules),
    ),
  ].join('\n');
}

/** Returns a row of counts. The last one is of rules for clients and for specifications. */
function renderCount(name: string, rules: readonly Requirement[]): string {
  const bound = rules.filter(({ binds }) => binds === 'server');
  const byChecks = bound.filter(({ checks }) => checks.length > 0).length;
  const shown = bound.filter(isShown).length;
  const others = rules.length - bound.length;
  const counts = [bound.length, byChecks, shown - byChecks, bound.length - shown, others];
  return `| ${[name, ...counts].join(' | ')} |`;
}
