import type { DataTypeDefinition } from '../../capability/definition.js';
import {
  ANY_SCOPE,
  principalScope,
  scopesOfObject,
  scopesOfTable,
  sharedObject,
} from '../../capability/scopes.js';
import type {
  AccessReads,
  AccessRecord,
  AnyRecordAt,
  Grant,
  Membership,
  PrincipalReads,
  ScopedChangeAt,
  ScopedObject,
  SharesHeld,
  View,
} from '../port.js';
import { countedScopes, ownScopes, scopedObjectsOf, viewRecordsOf } from './access-records.js';
import { PrincipalRows } from './principal-rows.js';
import { TableSnapshot } from './table-snapshot.js';
import { type TableReader, textList } from './table-texts.js';

/** Reads what users see: scopes, grants, groups and change records of types with access rules. */
export class AccessSnapshot<C extends TableReader> extends TableSnapshot<C> implements AccessReads {
  async viewRecords(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly AnyRecordAt[]> {
    const from = [this.scope.accountId, type.table, since] as const;
    return viewRecordsOf(type, await this.all('viewRecords', ...from, ...from, limit));
  }

  async objectRecords(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ScopedChangeAt[]> {
    const rows = await this.all('objectRecords', this.scope.accountId, type.table, since, limit);
    return viewRecordsOf(type, rows).filter(
      (record) => record.kind !== 'own' && record.kind !== 'access',
    );
  }

  async accessRecords(
    type: DataTypeDefinition,
    view: View,
    { since, before }: { readonly since: number; readonly before: number },
    limit: number,
  ): Promise<readonly AccessRecord[]> {
    const place = [this.scope.accountId, type.table] as const;
    const { userId } = view;
    const scopes = JSON.stringify([principalScope(userId)]);
    const sought = [...place, ...place, scopes, userId, since, since, before, limit] as const;
    const rows = await this.all('accessRecords', ...sought);
    return viewRecordsOf(type, rows).filter((record) => record.kind === 'access');
  }

  async existingPrincipals(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const list = JSON.stringify(ids);
    const rows = await this.all('existingPrincipals', list, this.scope.accountId, list);
    return rows.map(([id]) => id as string);
  }

  get principals(): PrincipalReads {
    return new PrincipalRows((...asked) => this.all(...asked), this.scope.accountId);
  }

  async sharesHeld(userId: string): Promise<SharesHeld> {
    const { accountId } = this.scope;
    const rows = await this.all('sharesHeld', accountId, userId, userId, userId);
    const texts = (column: 0 | 1) => rows.flatMap((row) => (row[column] as string | null) ?? []);
    return { groupIds: texts(0), scopes: texts(1) };
  }

  async givenScopes(
    principalId: string,
    behind: string,
    limit: number,
  ): Promise<readonly string[]> {
    const { accountId } = this.scope;
    const rows = await this.all('givenScopes', accountId, principalId, behind, limit);
    return rows.map(([scope]) => scope as string);
  }

  async membersOf(groupIds: readonly string[], limit: number): Promise<readonly Membership[]> {
    if (groupIds.length === 0) return [];
    const rows = await this.all('membersOf', JSON.stringify(groupIds), limit);
    return rows.map(([groupId, userId]) => ({ groupId, userId }) as Membership);
  }

  async grantsAt({ table }: DataTypeDefinition, ids: readonly string[]): Promise<readonly Grant[]> {
    if (ids.length === 0) return [];
    const ranges = JSON.stringify(ids.map((id) => scopesOfObject(sharedObject(table, id))));
    const rows = await this.all('grantsAt', ranges, this.scope.accountId);
    return rows.map(([principalId, scope]) => ({ principalId, scope }) as Grant);
  }

  async scopesOf(
    type: DataTypeDefinition,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (ids.length === 0) return new Map();
    const { accountId } = this.scope;
    const rows = await this.all('scopesOf', accountId, type.table, textList(ids));
    return new Map(scopedObjectsOf(rows).map(({ id, scopes }) => [id, scopes]));
  }

  async marksHeld(
    { table }: DataTypeDefinition,
    view: View,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (ids.length === 0) return new Map();
    const { accountId } = this.scope;
    const lists = [ids, ownScopes(view)].map((list) => JSON.stringify(list));
    const user = [view.userId, view.userId, view.userId];
    const rows = await this.all('marksHeld', accountId, table, ...lists, ...user);
    return new Map(scopedObjectsOf(rows).map(({ id, scopes }) => [id, scopes]));
  }

  async objectsWith(
    { table }: DataTypeDefinition,
    scopes: readonly string[],
    limit: number,
  ): Promise<readonly ScopedObject[]> {
    if (scopes.length === 0) return [];
    const place = [this.scope.accountId, table] as const;
    const list = JSON.stringify(scopes);
    return scopedObjectsOf(await this.all('objectsWith', ...place, ...place, list, limit + 1));
  }

  async viewNumber(type: DataTypeDefinition, view: View): Promise<number> {
    const { accountId } = this.scope;
    const own = JSON.stringify([...countedScopes(type, view), ANY_SCOPE].map((scope) => [scope]));
    const ranges = JSON.stringify(view.sharedTables.map(scopesOfTable));
    const { userId } = view;
    const granted = [userId, ranges, accountId, userId, userId] as const;
    const [row] = await this.all('viewNumber', accountId, type.table, own, ...granted);
    return (row?.[0] as number | null | undefined) ?? 0;
  }

  async prunedNumber(
    type: DataTypeDefinition,
    view: View,
    scopes: readonly string[],
  ): Promise<number> {
    const { accountId } = this.scope;
    const own = JSON.stringify([...countedScopes(type, view), ...scopes, ANY_SCOPE]);
    const { userId } = view;
    const granted = [userId, accountId, userId, userId] as const;
    const [row] = await this.all('prunedNumber', accountId, type.table, own, ...granted);
    return (row?.[0] as number | null | undefined) ?? 0;
  }
}
