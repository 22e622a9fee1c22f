import { indexedDb } from '../../src/cache/indexeddb-store.js';
import { type CachedClient, connect } from '../../src/index.js';
import { type TodosProject, todos } from '../support/schema.js';

/** A client as a page has it, for calls from outside. */
export interface ClientPage {
  open(url: string, token: string): Promise<void>;
  create(text: string): Promise<boolean>;
  texts(): readonly string[];
  state(): string;
  settle(): Promise<void>;
  logout(): Promise<void>;
}

let jmap: CachedClient<TodosProject> | null = null;

function current(): CachedClient<TodosProject> {
  if (jmap === null) throw new Error('The client is not open.');
  return jmap;
}

const clientPage: ClientPage = {
  async open(url, token) {
    jmap = await connect(todos, { url, token, store: indexedDb() });
    await jmap.sync.settled();
  },
  create: (text) => current().account().Todo.create({ text }).saved,
  texts() {
    const { rows } = current().account().Todo.live().getSnapshot();
    return rows.map(({ text }) => text).sort();
  },
  state() {
    const { status, pending, storage } = current().sync.getSnapshot();
    return [status, pending, storage].join(' ');
  },
  settle: () => current().sync.settled(),
  logout: () => current().logout(),
};

Object.assign(globalThis, { clientPage });
