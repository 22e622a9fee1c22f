import { memory } from '../../src/persist/memory.js';
import type { Role } from '../../src/tabs/roles.js';
import { openTabs } from '../../src/tabs/tabs.js';

/** Tabs as a page has them, for calls from outside. */
export interface TabsPage {
  /** Begins work that lasts until `end`. */
  begin(role: Role): void;
  end(): void;
  /** `waits`, `works`, `done`, or the name of an error. */
  status(): string;
  announce(message: string): void;
  /** Returns the announcements of others. */
  heard(): readonly string[];
}

async function makePage(): Promise<TabsPage> {
  const tabs = openTabs<string>({ name: 'n', store: await memory().open('n') });
  const heard: string[] = [];
  tabs.onMessage((message) => heard.push(message));
  let status = '';
  let finish: (() => void) | null = null;
  const work = (signal: AbortSignal): Promise<void> => {
    status = 'works';
    return new Promise((resolve, reject) => {
      finish = resolve;
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };
  return {
    begin(role) {
      status = 'waits';
      tabs.runExclusive(role, work).then(
        () => {
          status = 'done';
        },
        ({ name }: Error) => {
          status = name;
        },
      );
    },
    end: () => finish?.(),
    status: () => status,
    announce: tabs.announce,
    heard: () => heard,
  };
}

void makePage().then((tabsPage) => Object.assign(globalThis, { tabsPage }));
