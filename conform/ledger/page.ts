import type { Requirement, Section } from './requirements.js';

const SOURCE =
  'Generated from conform/ledger/requirements.yaml by npm run page --workspace conform. ' +
  'Do not edit.';

const HEAD = `# Conformance

<!-- ${SOURCE} -->

This page counts the rules of RFC 8620, RFC 8887 and RFC 9404, and what shows that this server
keeps them. The conformance runner (conform/README.md in the repository) runs the checks against
any JMAP server. The file conform/ledger/requirements.yaml in the repository has every rule in
plain words, with its checks and tests.`;

const NOT_SHOWN = `## Rules that nothing shows

Each entry has the section, the level if it isn't must, the rule, and the reason.`;

/** Returns the page as Markdown: counts, then each rule of servers that nothing shows, and why. */
export function renderPage(sections: readonly Section[]): string {
  const lines = sections.flatMap((section) =>
    section.rules
      .filter((rule) => rule.binds === 'server' && !isShown(rule))
      .map((rule) => renderRule(section, rule)),
  );
  return `${[HEAD, renderCounts(sections), NOT_SHOWN, lines.join('\n')].join('\n\n')}\n`;
}

function isShown({ checks, tests }: Requirement): boolean {
  return checks.length + tests.length > 0;
}

function renderRule({ specification, number }: Section, rule: Requirement): string {
  const document = specification.replace('RFC ', 'rfc');
  const place = `https://www.rfc-editor.org/rfc/${document}#section-${number}`;
  const level = rule.level === 'must' ? '' : ` (${rule.level})`;
  return `- [${specification} ${number}](${place})${level}: ${rule.rule} *${rule.reason ?? ''}*`;
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
