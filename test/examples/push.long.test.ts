import { it } from 'vitest';
import { longTests } from './example-project.js';

// The page is tested in push/, in a browser.
longTests('push', (example) => {
  it('an item is stored as it was sent', async () => {
    await example().storesUnchanged('Item', { text: 'milk', done: true }, { serverSet: SET });
  });
});

const SET = ['created', 'updated'];
