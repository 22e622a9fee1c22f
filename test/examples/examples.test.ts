import { expect, test } from 'vitest';
import { EXAMPLES } from '../support/shared-project.js';
import { firstCases } from './cases.js';
import { secondCases } from './more-cases.js';
import { useExamples } from './project.js';

// Every descriptor of examples/, generated and compiled together (or nothing here runs), called
// over HTTP. conformance/matrix.long.test.ts has the suite of all types for each.
const examples = useExamples();

test('the folder has five examples', () => {
  expect(EXAMPLES).toEqual(['bookmarks', 'catalogue', 'nested', 'preferences', 'tracker']);
});

test('the session lists each example, with its static members', async () => {
  const { capabilities } = (await examples().client.session()) as never as {
    capabilities: Record<string, object>;
  };
  for (const name of EXAMPLES)
    expect(capabilities).toHaveProperty([`https://example.com/jmap/${name}`]);
  expect(capabilities['https://example.com/jmap/catalogue']).toMatchObject({
    currencies: ['EUR', 'USD'],
  });
});

firstCases(examples);
secondCases(examples);
