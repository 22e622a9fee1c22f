// The part that all applications share: it signs in, connects, and hands the client over.
import type { CachedClient, Problem, Row } from '@jmapsmith/client';
import { indexedDb } from '@jmapsmith/client/indexeddb';
import { connect, type Project, type TodoShape } from '../../../generated/client/index.js';

export type Jmap = CachedClient<Project>;
export type TodoRow = Row<TodoShape>;

/** Calls `mount` with a client and an element of the page, once the user has signed in. */
export function start(mount: (jmap: Jmap, element: HTMLElement) => void): void {
  const [form, main, output] = [find('form'), find('main'), find('output')];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = String(new FormData(form).get('token'));
    signIn(token).then(
      (jmap) => {
        form.hidden = true;
        mount(jmap, main);
      },
      (error: Error) => {
        output.textContent = error.message;
      },
    );
  });
}

async function signIn(token: string): Promise<Jmap> {
  const { url } = (await (await fetch('/config.json')).json()) as { readonly url: string };
  // The store is all that a page needs for lists that follow, and for writes offline. It outlives
  // the page, and all tabs share it.
  return connect({ url, token, store: indexedDb() });
}

const REFUSED = { create: 'Not created', update: 'Not updated', destroy: 'Not deleted' };

/** Returns a sentence on a write that the server has refused. */
export function describeProblem({ kind, values, error }: Problem): string {
  const { text = 'A todo' } = (values ?? {}) as { readonly text?: string };
  return `${REFUSED[kind]}: ${text.slice(0, 20)} (${error.description ?? error.type})`;
}

function find<Name extends 'form' | 'main' | 'output'>(name: Name): HTMLElementTagNameMap[Name] {
  const element = document.querySelector(name);
  if (element === null) throw new Error(`The page has no <${name}>.`);
  return element;
}
