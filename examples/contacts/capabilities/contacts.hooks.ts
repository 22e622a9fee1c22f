import type { Hooks } from '../generated/contacts/hooks.js';
import { addressBookHooks, makeFirstBook } from '../rules/address-books.js';
import { contactCardHooks } from '../rules/contact-cards.js';

export const hooks = {
  types: { AddressBook: addressBookHooks, ContactCard: contactCardHooks },
  accountCreated: makeFirstBook,
} satisfies Hooks;
