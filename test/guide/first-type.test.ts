import { afterAll, it } from 'vitest';
import { GuideRunner } from './runner.js';

let runner: GuideRunner | undefined;

afterAll(async () => {
  await runner?.close();
});

it('docs/guide/first-type.md does what it says, from an empty folder', async () => {
  runner = await GuideRunner.open();
  await runner.follow('first-type');
}, 600_000);
