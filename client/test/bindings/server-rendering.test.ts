import { createElement } from 'react';
import { renderToString as renderReact } from 'react-dom/server';
import { renderToString as renderSolid } from 'solid-js/web';
import { expect, it } from 'vitest';
import { createSSRApp, h } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';
import * as react from '../../src/bindings/react.js';
import * as solid from '../../src/bindings/solid.js';
import * as vue from '../../src/bindings/vue.js';
import type { Observable } from '../../src/cache/observable.js';
import { Followed } from './followed.js';

// On a server: a page shows a snapshot, with a store or without one, and nothing goes on.

type Render = (source: Observable<string> | null, initial?: string) => Promise<string>;

const RENDERS: readonly (readonly [string, Render])[] = [
  [
    'React',
    async (source, initial) => {
      const Text = () => createElement('p', null, react.useLive(source, initial));
      return renderReact(createElement(Text));
    },
  ],
  [
    'Vue',
    (source, initial) =>
      renderVue(
        createSSRApp({
          setup() {
            const text = vue.useLive(source, initial);
            return () => h('p', text.value);
          },
        }),
      ),
  ],
  [
    'Solid',
    async (source, initial) => {
      const Text = () => solid.useLive(() => source, initial)();
      return `<p>${renderSolid(Text)}</p>`;
    },
  ],
];

it.each(RENDERS)(
  '%s shows the snapshot of a source, and follows it no further',
  async (_, render) => {
    const source = new Followed('here');
    expect(await render(source)).toBe('<p>here</p>');
    expect(source.followers).toBe(0);
  },
);

it.each(RENDERS)('%s shows without a source what it is given', async (_, render) => {
  expect(await render(null, 'given')).toBe('<p>given</p>');
  expect(await render(null)).toBe('<p></p>');
});

it('React shows what it is given in place of the source, as a browser does first', async () => {
  const Text = () => createElement('p', null, react.useLive(new Followed('here'), 'given'));
  expect(renderReact(createElement(Text))).toBe('<p>given</p>');
});
