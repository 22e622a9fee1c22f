import { expect, test } from 'vitest';
import { firstCases } from './cases.js';
import { secondCases } from './more-cases.js';
import { compileExamples, EXAMPLES, useExamples } from './project.js';

// Every descriptor of examples/, generated together (or nothing here runs), called over HTTP.
const examples = useExamples();

test('there are seven, and one copy of the project generates and compiles them', async () => {
  expect(EXAMPLES).toEqual([
    'bookmarks',
    'catalogue',
    'contacts',
    'nested',
    'preferences',
    'tasks',
    'tracker',
  ]);
  const { project } = examples();
  expect(await compileExamples(project)).toBe('');
  const again = await project.npm('generate', '--check');
  expect(again.code, again.stdout + again.stderr).toBe(0);
}, 120_000);

test('the session lists each of them, with its static members', async () => {
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
