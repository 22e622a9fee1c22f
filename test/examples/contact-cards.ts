import { beforeAll, expect } from 'vitest';
import { eventually } from '../support/poll.js';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';

/** Cards in the first book of the account. */
export class Cards {
  readonly #example: () => Example;
  /** The id of the book. */
  home = '';

  constructor(example: () => Example) {
    this.#example = example;
    beforeAll(async () => {
      // Each account begins with a book, soon after it comes to be.
      [this.home = ''] = await eventually(async () => {
        const found = await this.listDefaults();
        expect(found).toHaveLength(1);
        return found;
      });
    });
  }

  /** Returns the members with all that a card needs besides. */
  build(members: object): object {
    return {
      '@type': 'Card',
      version: '1.0',
      uid: crypto.randomUUID(),
      addressBookIds: { [this.home]: true },
      ...members,
    };
  }

  create(members: object): Promise<Answer> {
    return this.#example().create('ContactCard', this.build(members));
  }

  /** Creates a card that is refused: the SetError. */
  async refusal(members: object): Promise<Answer> {
    const create = { k: this.build(members) };
    return (await this.#example().call('ContactCard/set', { create })).notCreated?.k;
  }

  /** Lists the ids of default books. */
  async listDefaults(): Promise<readonly string[]> {
    const { list } = await this.#example().call('AddressBook/get', { ids: null });
    return list.flatMap((book: Answer) => (book.isDefault ? [book.id] : []));
  }
}
