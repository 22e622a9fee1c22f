import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPTIONS } from '../src/options.js';
import { readWorld } from '../src/subject/described.js';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('the README describes each option', () => {
  const listed = [...README.matchAll(/^\| (`--.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/--([a-z-]+)/g)].map(([, name]) => name),
  );
  expect(listed.sort()).toEqual(Object.keys(OPTIONS).sort());
});

it('the README’s descriptor of another server is legal', () => {
  const [, text = ''] = /```yaml\n(.+?)```/s.exec(README) ?? [];
  expect([...readWorld([{ file: 'mailbox.yaml', text }]).keys()]).toEqual(['Mailbox']);
});
