import { createElement, StrictMode, startTransition, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { useLive } from '../../src/bindings/react.js';
import type { Observable } from '../../src/cache/observable.js';
import { Followed } from './followed.js';

/** How many components show one value. */
const COMPONENTS = 20;
/** React hands the thread back after 5 ms. */
const SLICE = 6;

type Hook = (source: Observable<string>) => string;

/** A hook as one might write it, which tears: the reason for the binding. */
const useNaive: Hook = (source) => {
  const [value, setValue] = useState(source.getSnapshot);
  useEffect(() => source.subscribe(setValue), [source]);
  return value;
};

export interface ReactPage {
  /**
   * Renders slow components in a transition, and changes their value half-way. Resolves to the
   * values that each painted state of the page showed beside each other.
   */
  renderConcurrently(hook: 'live' | 'naive'): Promise<readonly (readonly string[])[]>;
  /** Renders, changes and ends a component in strict mode. Returns its texts and followers. */
  renderStrictly(): { readonly texts: readonly string[]; readonly followers: readonly number[] };
}

function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

async function renderConcurrently(hook: 'live' | 'naive'): Promise<readonly string[][]> {
  const useValue = hook === 'live' ? useLive<string> : useNaive;
  const source = new Followed('before');
  function Slow({ at }: { readonly at: number }) {
    const value = useValue(source);
    work(SLICE);
    // The change comes as soon as React hands the thread back.
    if (at === COMPONENTS / 2) queueMicrotask(() => source.set('after'));
    return createElement('p', null, value);
  }
  const element = document.body.appendChild(document.createElement('div'));
  const shown: string[][] = [];
  const observer = new MutationObserver(() => {
    const texts = Array.from(element.querySelectorAll('p'), (one) => one.textContent ?? '');
    shown.push([...new Set(texts)]);
  });
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  const root = createRoot(element);
  const all = Array.from({ length: COMPONENTS }, (_, at) => createElement(Slow, { key: at, at }));
  startTransition(() => root.render(all));
  while (shown.at(-1)?.join() !== 'after') await new Promise((next) => setTimeout(next));
  observer.disconnect();
  root.unmount();
  return shown;
}

function renderStrictly() {
  const source = new Followed('first');
  const Text = () => createElement('p', null, useLive(source));
  const element = document.createElement('div');
  const root = createRoot(element);
  const [texts, followers]: [string[], number[]] = [[], []];
  const note = (act: () => void): void => {
    flushSync(act);
    texts.push(element.textContent ?? '');
    followers.push(source.followers);
  };
  note(() => root.render(createElement(StrictMode, null, createElement(Text))));
  note(() => source.set('second'));
  note(() => root.unmount());
  return { texts, followers };
}

Object.assign(globalThis, { reactPage: { renderConcurrently, renderStrictly } });
