import { expect, test } from 'vitest';
import { EXAMPLES } from '../support/shared-project.js';
import { firstCases } from './cases.js';
import { secondCases } from './more-cases.js';
import { useExamples } from './project.js';

// Every descriptor of examples/, generated and compiled together (or nothing here runs), called
// over HTTP. conformance/matrix.long.test.ts has the suite of all types for each.
const examples = useExamples();

test('the folder has six examples', () => {
  expect(EXAMPLES).toEqual([
    'bookmarks',
    'catalogue',
    'contacts',
    'nested',
    'preferences',
    'tracker',
  ]);
});

test('the session lists each example, with its static members', async () => {
  const { capabilities, accounts } = (await examples().client.session()) as never as {
    capabilities: Record<string, object>;
    accounts: Record<string, { accountCapabilities: Record<string, object> }>;
  };
  for (const name of EXAMPLES)
    expect(capabilities).toHaveProperty([`https://example.com/jmap/${name}`]);
  expect(capabilities['https://example.com/jmap/catalogue']).toMatchObject({
    currencies: ['EUR', 'USD'],
  });
  const account = accounts[examples().accountId];
  expect(account?.accountCapabilities['https://example.com/jmap/contacts']).toEqual({
    mayCreateAddressBook: true,
    maxAddressBooksPerCard: 10,
  });
});

firstCases(examples);
secondCases(examples);
