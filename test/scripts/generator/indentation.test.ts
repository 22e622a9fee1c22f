import { expect, it } from 'vitest';
import { parseDescriptor } from '../../../src/descriptor/parse.js';

const problemsIn = (source: string) =>
  parseDescriptor('capabilities/a.yaml', source).problems.map(
    ({ at, code, message }) => `${at.line}:${at.column} ${code} ${message}`,
  );

it('YAML: a line that is indented wrongly is shown where its text begins', () => {
  expect(problemsIn('types:\n  A:\n    properties:\n      a: {}\n     b: {}\n')).toEqual([
    '5:6 syntax not readable as YAML: All mapping items must start at the same column. ' +
      'This line, or the one before it, is indented wrongly.',
  ]);
});

it('YAML: a tab that indents is reported once, not for each line behind it', () => {
  expect(problemsIn('types:\n  A: {}\n\tB: {}\n  C: {}\n  D: {}\n')).toEqual([
    '3:1 syntax not readable as YAML: Tabs are not allowed as indentation. Write spaces.',
  ]);
});
