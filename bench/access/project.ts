/** The same to-dos twice, without access rules and with them; and lists that users share. */
export const DESCRIPTOR = `capability: urn:example:todos
types:
  Plain:
    properties:
      text: { type: string, maxLength: 512, default: '' }
      public: { type: boolean, default: false }
    filter: { text: contains }
    sort: [text, created]
  List:
    properties:
      name: { type: string, maxLength: 100, default: '' }
    share:
      rights: { mayRead: See it., mayWrite: Change it. }
      read: mayRead
      update: mayWrite
      destroy: mayWrite
  Todo:
    properties:
      text: { type: string, maxLength: 512, default: '' }
      public: { type: boolean, default: false }
      listId: { type: [string, 'null'], references: List, onDestroy: cascade }
    filter: { text: contains }
    sort: [text, created]
    access:
      - { who: owner, create: true }
      - { who: creator, read: true, update: true, destroy: true }
      - { who: everyone, where: { public: true }, read: true }
      - { who: parent, of: listId, read: mayRead, update: mayWrite }
`;

/** The types that are compared. */
export const TYPES = ['Plain', 'Todo'] as const;
export type ComparedType = (typeof TYPES)[number];
