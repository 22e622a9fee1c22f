import { expect, it } from 'vitest';
import { createLogging } from '../../src/server/logging.js';

function logged(error: unknown): { readonly message: string; readonly stack: string } {
  const lines: string[] = [];
  createLogging('error', { write: (line) => void lines.push(line) }).log.error({ err: error }, 'x');
  return JSON.parse(lines.join('')).err;
}

it('an error that names its cause says it once, any other has it added', () => {
  const cause = new TypeError('no way');
  const told = logged(new Error('The hook check of Todo threw TypeError: no way', { cause }));
  expect(told.message).toBe('The hook check of Todo threw TypeError: no way');
  expect(told.stack).toContain('caused by: TypeError: no way');
  expect(logged(new Error('broken', { cause })).message).toBe('broken: no way');
  expect(logged('a text')).toBe('a text');
});
