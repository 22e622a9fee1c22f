import { describe, expect, it } from 'vitest';
import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import {
  type AccessMode,
  findCapabilityMode,
  findTypeMode,
  listNarrowed,
  type Narrowing,
} from '../../src/protocol/access-modes.js';
import { NAMED_CAPABILITIES, type RuntimeMembers, Sessions } from '../../src/protocol/session.js';
import { registry as all } from '../support/registry.js';

/** As a server has them without ADMIN. */
const registry = all.filter(({ urn }) => urn !== 'urn:jmapsmith:admin');

const CORE = 'urn:ietf:params:jmap:core';
const BLOB = 'urn:ietf:params:jmap:blob';
const TODOS = 'urn:example:todos';
const NOTES = 'urn:service:notes';

type Modes = Readonly<Record<string, AccessMode>>;

function reach(capabilities: Modes | null, types: Modes | null = null): Narrowing {
  const mapOf = (modes: Modes | null) => modes && new Map(Object.entries(modes));
  return { capabilities: mapOf(capabilities), types: mapOf(types) };
}

function definition(urn: string): CapabilityDefinition {
  const found = registry.find((each) => each.urn === urn);
  if (found === undefined) throw new Error(`No capability ${urn}.`);
  return found;
}

/** The modes of the served capabilities that are not full. */
function narrowedModes(by: Narrowing): Readonly<Record<string, AccessMode | null>> {
  const modes = registry.map((each) => [each.urn, findCapabilityMode(by, each)] as const);
  return Object.fromEntries(modes.filter(([, mode]) => mode !== 'full'));
}

describe('a capability', () => {
  it('may be used by everybody whom nothing narrows', () => {
    expect(narrowedModes(reach(null))).toEqual({});
    expect(narrowedModes(reach(null, {}))).toEqual({});
  });

  it('that gives access to nothing stays; any other is there by name alone', () => {
    expect(narrowedModes(reach({}))).toEqual({ [BLOB]: null, [TODOS]: null, [NOTES]: null });
    const some = { [TODOS]: 'read', [NOTES]: 'full' } as const;
    expect(narrowedModes(reach(some))).toEqual({ [BLOB]: null, [TODOS]: 'read' });
  });

  it('that gives access to nothing is whole for readers, too', () => {
    expect(findCapabilityMode(reach({ [CORE]: 'read' }), definition(CORE))).toBe('full');
    expect(findCapabilityMode(reach({ [BLOB]: 'read' }), definition(BLOB))).toBe('read');
  });

  it('with scopes or with own methods doesn’t stay', () => {
    const core = definition(CORE);
    const scoped = { ...core, oauthScopes: { full: 'core' } };
    expect([findCapabilityMode(reach({}), core), findCapabilityMode(reach({}), scoped)]).toEqual([
      'full',
      null,
    ]);
    const method = { name: 'Clock/stop', capability: CORE, account: 'none', body: 'hookFile' };
    const own = { ...core, methods: [method] } as unknown as CapabilityDefinition;
    expect(findCapabilityMode(reach({}), own)).toBe(null);
  });
});

describe('a type', () => {
  const todo = { name: 'Todo', capability: TODOS };

  it('has the narrower mode of its own and of its capability', () => {
    const modes = [
      findTypeMode(reach(null, { Todo: 'read' }), todo),
      findTypeMode(reach({ [TODOS]: 'read' }, { Todo: 'full' }), todo),
      findTypeMode(reach({ [TODOS]: 'full' }, { Todo: 'full' }), todo),
    ];
    expect(modes).toEqual(['read', 'read', 'full']);
  });

  it('is out of reach with its capability, and where others are named', () => {
    expect(findTypeMode(reach({ [NOTES]: 'full' }, { Todo: 'full' }), todo)).toBe(null);
    expect(findTypeMode(reach(null, { Note: 'full' }), todo)).toBe(null);
    expect(findTypeMode(reach(null, {}), todo)).toBe(null);
  });
});

describe('the session', () => {
  const account = { name: 'A', isPersonal: true, isReadOnly: false, capabilities: null };
  const sessions = new Sessions({
    capabilities: registry,
    runtime: new Map<string, RuntimeMembers>([[CORE, { primary: false }]]),
    baseUrl: null,
  });
  const owner = (by: Narrowing, of = account) => ({
    ...by,
    username: 'u',
    accounts: new Map([['A1', of]]),
  });
  const textOf = (by: Narrowing): string => sessions.text(owner(by), 'https://h');
  const parse = (by: Narrowing, of = account) =>
    JSON.parse(sessions.text(owner(by, of), 'https://h')) as {
      capabilities: Record<string, object>;
      accounts: Record<string, { isReadOnly: boolean; accountCapabilities: object }>;
      primaryAccounts: object;
      state: string;
    };

  it('has no trace of a capability out of reach', () => {
    const session = parse(reach({ [NOTES]: 'full' }));
    expect(Object.keys(session.capabilities)).not.toEqual(expect.arrayContaining([TODOS]));
    expect(Object.keys(session.capabilities)).toEqual(expect.arrayContaining([CORE, NOTES]));
    expect(Object.keys(session.accounts['A1']?.accountCapabilities ?? {})).toEqual([CORE, NOTES]);
    expect(session.primaryAccounts).toEqual({ [NOTES]: 'A1' });
    expect(JSON.stringify(session)).not.toContain(TODOS);
  });

  it('counts no capability that an account must name and doesn’t', () => {
    const [ADMIN = ''] = NAMED_CAPABILITIES;
    const capabilities = [definition(NOTES), { ...definition(TODOS), urn: ADMIN }];
    const by = owner(reach({ [NOTES]: 'read', [ADMIN]: 'full' }));
    const sessions = new Sessions({ capabilities, runtime: new Map(), baseUrl: null });
    const text = sessions.text(by, 'https://h');
    expect(JSON.parse(text)).toMatchObject({ accounts: { A1: { isReadOnly: true } } });
  });

  it('shows an account as read-only where all that it offers may only be read', () => {
    const isReadOnly = (by: Narrowing, of = account) => parse(by, of).accounts['A1']?.isReadOnly;
    expect(isReadOnly(reach({ [NOTES]: 'read', [TODOS]: 'read' }))).toBe(true);
    expect(isReadOnly(reach({ [NOTES]: 'read', [TODOS]: 'full' }))).toBe(false);
    const notesAlone = { ...account, capabilities: new Set([NOTES]) } as unknown as typeof account;
    expect(isReadOnly(reach({ [NOTES]: 'read', [TODOS]: 'full' }), notesAlone)).toBe(true);
    expect(isReadOnly(reach({}))).toBe(false);
  });

  it('is the same text for the same reach, whatever it comes of', () => {
    const everything = { [BLOB]: 'full', [TODOS]: 'full', [NOTES]: 'full' } as const;
    const types = { Todo: 'full', Note: 'full' } as const;
    const all = textOf(reach(null));
    expect(textOf(reach(everything))).toBe(all);
    expect(textOf(reach(null, types))).toBe(all);
    expect(textOf(reach({ ...everything, [CORE]: 'read', 'urn:gone': 'full' }))).toBe(all);
    const notes = textOf(reach({ [NOTES]: 'full' }));
    expect(textOf(reach({ [NOTES]: 'full', [CORE]: 'full' }, { Note: 'full' }))).toBe(notes);
    const reading = textOf(reach({ [TODOS]: 'read', [NOTES]: 'full' }));
    expect(textOf(reach({ [NOTES]: 'full', [TODOS]: 'read' }, types))).toBe(reading);
  });

  it('has another state for each other reach', () => {
    const reaches = [
      reach(null),
      reach({ [TODOS]: 'full' }),
      reach({ [TODOS]: 'read' }),
      reach({ [TODOS]: 'full' }, { Todo: 'read' }),
      reach(null, { Todo: 'full' }),
      reach(null, { Todo: 'read' }),
      reach(null, { Todo: 'read', Note: 'full' }),
      reach(null, { Todo: 'full', Note: 'read' }),
    ];
    const states = new Set(reaches.map((each) => sessions.state(owner(each))));
    expect(states.size).toBe(reaches.length);
  });

  it('notes which own methods of no type a token of types loses', () => {
    const method = { name: 'Clock/stop', capability: TODOS, account: 'write', body: 'hookFile' };
    const todos = definition(TODOS);
    const more = {
      ...todos,
      methods: [...todos.methods, method, { ...method, name: 'Todo/tidy' }],
    } as CapabilityDefinition;
    expect(listNarrowed(reach(null, { Todo: 'full' }), [more])).toEqual([['Clock/stop', 'none']]);
    expect(listNarrowed(reach({ [TODOS]: 'full' }), [more])).toEqual([]);
  });
});
