import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newDescriptor } from '../../../scripts/generator/new-descriptor.js';
import { render } from '../../../scripts/generator/pipeline.js';
import { REPOSITORY, thing } from './project.js';
import { judge } from './random/texts.js';

/** The pages that a new team reads first. Their descriptors give no warning, let alone an error. */
const PAGES = [
  ...['README.md', 'docs/guide/first-type.md'],
  ...['descriptors', 'properties', 'queries'].map((name) => `docs/reference/${name}.md`),
];

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8');
}

/** The whole descriptors that pages show. */
const shown = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => [page, text]),
).filter(([, text]) => /^capability: /m.test(text ?? ''));

const examples = readdirSync(join(REPOSITORY, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => [`examples/${name}`, read(`examples/${name}`)]);

it("finds the README's sample, and an example at least", () => {
  expect(shown.map(([page]) => page)).toContain('README.md');
  expect(examples.length).toBeGreaterThan(0);
});

it.each([...shown, ...examples, ['new', newDescriptor('Invoice')]])(
  'the generator warns of nothing in the descriptor in %s',
  (_, text = '') => {
    expect(judge(text)).toEqual([]);
  },
);

it('the generator warns of nothing in the bundled descriptors', async () => {
  const { problems, warnings } = await render(REPOSITORY);
  expect([...problems, ...warnings]).toEqual([]);
});

it('the generator takes a property with the name of a member of responses', () => {
  const properties = 'properties: { updatedProperties: { setOf: string, default: {} } }';
  expect(judge(thing(properties))).toEqual([]);
});
