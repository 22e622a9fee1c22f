import type {
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  SqlResultSet,
} from '@prisma/driver-adapter-utils';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';

/**
 * Returns the adapter with times as the tables have them: integers, in milliseconds. To the
 * project's client they are DateTime.
 */
export function withTimes(factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory;
  return {
    ...{ provider, adapterName },
    async connect() {
      const adapter = await factory.connect();
      const info = adapter.getConnectionInfo?.bind(adapter);
      return {
        ...queries(adapter),
        executeScript: (script) => adapter.executeScript(script),
        ...(info === undefined ? {} : { getConnectionInfo: info }),
        async startTransaction(isolation) {
          const transaction = await adapter.startTransaction(isolation);
          return {
            ...queries(transaction),
            options: transaction.options,
            commit: () => transaction.commit(),
            rollback: () => transaction.rollback(),
            createSavepoint: async (name) => transaction.createSavepoint?.(name),
            rollbackToSavepoint: async (name) => transaction.rollbackToSavepoint?.(name),
            releaseSavepoint: async (name) => transaction.releaseSavepoint?.(name),
          };
        },
        dispose: () => adapter.dispose(),
      };
    },
  };
}

function queries(inner: SqlQueryable): SqlQueryable {
  const { provider, adapterName } = inner;
  return {
    ...{ provider, adapterName },
    queryRaw: async (query) => withNumbers(await inner.queryRaw(withMilliseconds(query))),
    executeRaw: (query) => inner.executeRaw(withMilliseconds(query)),
  };
}

/** Gives each time of a statement as a number of milliseconds. */
function withMilliseconds(query: SqlQuery): SqlQuery {
  const isTime = query.argTypes.map((type) => type?.scalarType === 'datetime');
  if (!isTime.includes(true)) return query;
  return {
    ...query,
    args: query.args.map((value, index) => (isTime[index] === true ? numberOf(value) : value)),
    argTypes: query.argTypes.map((type, index) =>
      isTime[index] === true ? { ...type, scalarType: 'bigint' as const } : type,
    ),
  };
}

function numberOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numberOf);
  return value === null ? null : String(new Date(value as string | Date).getTime());
}

/** Gives 64-bit integers as numbers where they are exact: Prisma makes a time of a number. */
function withNumbers(result: SqlResultSet): SqlResultSet {
  const large = result.columnTypes.flatMap((type, index) =>
    type === ColumnTypeEnum.Int64 ? [index] : [],
  );
  for (const row of result.rows)
    for (const index of large) {
      const number = Number(row[index]);
      if (typeof row[index] === 'string' && Number.isSafeInteger(number)) row[index] = number;
    }
  return result;
}
