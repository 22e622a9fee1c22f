import { describe, expect, it } from 'vitest';
import { snakeToCamel } from '../../src/protocol/snake-case.js';

describe('snake_case names', () => {
  it.each([
    ['is_read', 'isRead'],
    ['account_id', 'accountId'],
    ['on_success_destroy_original', 'onSuccessDestroyOriginal'],
    ['address_2', 'address2'],
    ['utf8_name', 'utf8Name'],
  ])('%s stands for %s', (snake, camel) => {
    expect(snakeToCamel(snake)).toBe(camel);
  });

  it.each([
    'text',
    'isRead',
    '_is_read',
    'is_read_',
    'is__read',
    'Is_read',
    'is_Read',
    'is-read',
    'is_réad',
    '__proto__',
    '2_x',
    '_',
    '',
    'is_read\n',
  ])('%j is no snake_case spelling', (name) => {
    expect(snakeToCamel(name)).toBeNull();
  });
});
