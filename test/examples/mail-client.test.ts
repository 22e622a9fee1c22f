import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProject, REPOSITORY, readTree } from '../scripts/generator/project.js';

const FOLDER = join(REPOSITORY, 'examples/clients/mail');

it('the client of examples/clients/mail is that of its descriptor', async () => {
  const text = await readFile(join(FOLDER, 'capabilities/mail.yaml'), 'utf8');
  const project = await createProject({ 'mail.yaml': text });
  const { code, stderr } = await project.generate({ client: join(project.root, 'out') });
  expect(code, stderr).toBe(0);
  expect(await project.tree('out')).toEqual(await readTree(join(FOLDER, 'jmap')));
});
