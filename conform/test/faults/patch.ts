import type { Json } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { accepted, dropping, patches } from './makers.js';

const isEmpty = (value: Json): boolean =>
  value !== null && typeof value === 'object' && Object.keys(value).length === 0;

const renamed = (change: (pointer: string) => string): Partial<Fault> =>
  patches((patch) =>
    Object.fromEntries(Object.entries(patch).map(([key, value]) => [change(key), value])),
  );

export const patchFaults: readonly Fault[] = [
  {
    name: 'a patch that is none is taken',
    checks: [
      'set-update-atomic',
      'patch-parent-missing',
      'patch-prototype-names',
      'patch-prefix',
      'patch-escapes',
      'patch-slashes',
      'patch-array',
      'patch-nested-parents',
      'patch-not-object',
    ],
    ...accepted('invalidPatch'),
  },
  {
    name: 'pointers into values are ignored',
    checks: [
      'patch-prefix-tokens',
      'patch-escapes',
      'patch-keys',
      'patch-nested-set',
      'patch-several',
      'patch-nested-invalid',
      'patch-nested-remove',
      'patch-keys-judged',
      'patch-keys-counted',
      'patch-shared-value',
      'creation-references-pointer',
    ],
    ...patches((patch) => dropping(patch, (key) => key.includes('/'))),
  },
  {
    name: 'a pointer that begins like another is left out',
    checks: ['patch-prefix-tokens', 'patch-prefix', 'patch-parent-missing'],
    ...patches((patch) =>
      dropping(patch, (key) =>
        Object.keys(patch).some((other) => other !== key && key.startsWith(other)),
      ),
    ),
  },
  {
    name: 'escapes of pointers are not undone',
    checks: ['patch-escapes'],
    ...renamed((pointer) => pointer.replaceAll('~', '~0')),
  },
  {
    name: 'tildes are no escapes where nothing is escaped',
    checks: ['patch-escapes-invalid'],
    ...renamed((pointer) => pointer.replaceAll(/~(?![01])/g, '~0')),
  },
  {
    name: 'a leading slash is skipped',
    checks: ['patch-slashes'],
    ...renamed((pointer) => pointer.replace(/^#?[/]+/, '')),
  },
  {
    name: 'an empty last token is skipped',
    checks: ['patch-slashes', 'patch-keys'],
    ...renamed((pointer) => pointer.replace(/[/]$/, '')),
  },
  {
    name: 'of several pointers the first is applied',
    checks: ['patch-several', 'patch-escapes', 'patch-keys'],
    ...patches((patch) => dropping(patch, (key) => key !== Object.keys(patch)[0])),
  },
  {
    name: 'an element of a list is patched',
    checks: ['patch-array'],
    ...patches((patch) => dropping(patch, (key) => key.startsWith('list/'))),
  },
  {
    name: 'missing parents are made',
    checks: ['patch-nested-parents'],
    ...renamed((pointer) => pointer.replace('/nowhere/x', '/nowhere')),
  },
  {
    name: 'a pointer goes through inherited members',
    checks: ['patch-prototype-names'],
    ...patches((patch) => dropping(patch, (key) => /(^|[/])(__proto__|constructor)[/]/.test(key))),
  },
  {
    name: 'the type of what a pointer sets is not looked at',
    checks: ['patch-nested-invalid'],
    ...patches((patch) => dropping(patch, (key, value) => key.includes('/') && value === 'x')),
  },
  {
    name: 'an empty value changes nothing',
    checks: ['patch-whole-value'],
    ...patches((patch) => dropping(patch, (_, value) => isEmpty(value))),
  },
  {
    name: 'keys of maps are judged one by one alone',
    checks: ['patch-keys-counted'],
    ...patches((patch) =>
      Object.keys(patch).length > 50 ? dropping(patch, (key) => key.endsWith('t0')) : patch,
    ),
  },
];
