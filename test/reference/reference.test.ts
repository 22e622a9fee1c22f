import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import type { JsonMap } from '../support/json.js';
import { ROOT, useServer } from '../support/server.js';

/** The requests that docs/reference/capabilities shows, sent to a real server. */
const FOLDER = join(ROOT, 'docs/reference/capabilities');
/** Errors that would mean that the page is wrong; the rest depends on what an account holds. */
const WRONG_CALLS = ['unknownMethod', 'invalidArguments', 'unsupportedFilter', 'unsupportedSort'];

interface ExampleRequest {
  readonly using: readonly string[];
  readonly methodCalls: readonly Call[];
}

const pages = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')] as const);
const examples = pages.flatMap(([page, text]) =>
  requestsOf(text).map((request) => [`${page}: ${request.methodCalls[0]?.[0]}`, request] as const),
);

describe('docs/reference/capabilities', () => {
  const server = useServer({ env: { ADMIN: 'on' } });
  let fixtures: Fixtures;

  beforeAll(async () => {
    fixtures = await makeFixtures(server(), ['A2']);
    await server().tool('scripts/user', ['roles', 'u1', 'admin']);
  });

  it('has a page for each capability and an example for each method with a section', () => {
    const names = readdirSync(join(ROOT, 'capabilities'))
      // The type of quotas is described with them, in projects that have some.
      .filter((name) => /(?<!-(?:quota|principals))\.(ya?ml|json)$/.test(name))
      .map((name) => name.replace(/\.\w+$/, '.md'));
    expect(pages.map(([name]) => name)).toEqual(names.sort());
    for (const [name, text] of pages) {
      const methods = [...text.matchAll(/^##+ (\w+\/\w+)$/gm)].map(([, method]) => method);
      const shown = requestsOf(text);
      expect(
        shown.map(({ methodCalls }) => methodCalls[0]?.[0]),
        name,
      ).toEqual(methods);
    }
  });

  it.each(examples)('%s is a valid request', async (_name, example) => {
    const body = withAccounts(example);
    const { methodResponses } = await fixtures.u1.api(body.methodCalls, { using: body.using });
    for (const [name, args] of methodResponses) {
      if (name === 'error') expect(WRONG_CALLS, JSON.stringify(args)).not.toContain(args['type']);
      const refused = Object.values((args['notCreated'] ?? {}) as Record<string, JsonMap>);
      expect(refused.map(({ type }) => type)).not.toContain('invalidProperties');
    }
  });

  /** The pages call the accounts `A1` and `A2`. */
  function withAccounts(example: ExampleRequest): ExampleRequest {
    const text = JSON.stringify(example)
      .replaceAll('"A1"', JSON.stringify(fixtures.A1))
      .replaceAll('"A2"', JSON.stringify(fixtures.A2));
    return JSON.parse(text) as ExampleRequest;
  }
});

/** The requests among the JSON blocks of a page; one that is no JSON fails the file. */
function requestsOf(page: string): ExampleRequest[] {
  return [...page.matchAll(/^```json\n(.*?)\n```$/gms)]
    .map(([, text]): unknown => JSON.parse(text ?? ''))
    .filter(isRequest);
}

function isRequest(value: unknown): value is ExampleRequest {
  return typeof value === 'object' && value !== null && 'methodCalls' in value;
}
