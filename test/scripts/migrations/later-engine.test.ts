import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { model, todo } from './models.js';
import { generate, temporaryRoot, write } from './project.js';

/** Returns the problems of generating where a later jmapsmith left such tables behind. */
async function problemsAfter(change: (schema: string) => string) {
  const root = temporaryRoot();
  await generate(root, model([todo()]));
  for (const provider of ['sqlite', 'postgresql']) {
    const path = `prisma/${provider}/migrations/0001_init/schema.prisma`;
    const schema = readFileSync(join(root, path), 'utf8');
    expect(change(schema)).not.toBe(schema);
    write(root, path, change(schema));
  }
  return (await generate(root, model([todo()]))).problems;
}

it.each([
  [
    'JmapAccount.note',
    (schema: string) => schema.replace(/model JmapAccount \{/, '$&\n  note String?'),
  ],
  ['JmapNote', (schema: string) => `${schema}\nmodel JmapNote {\n  id String @id\n}\n`],
])(
  "names the engine's %s that a later version made, which no descriptor can drop",
  async (what, change) => {
    const problems = await problemsAfter(change);
    expect(problems.map(({ code }) => code)).toEqual(['later-engine']);
    expect(problems[0]?.message).toContain(
      `The migrations have ${what}, a part of the engine's own`,
    );
    expect(problems[0]?.message).not.toContain('drops');
  },
);
