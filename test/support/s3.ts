import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

const BUCKET = 'blobs-of-tests';

/** A service of S3 in this process. */
export interface S3Service {
  /** The variables of a server that keeps its blobs there. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it keeps the octets of each object, in a file `KEY._S3rver_object`. */
  readonly folder: string;
  remove(): Promise<void>;
}

export async function startS3(): Promise<S3Service> {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-s3-'));
  const service = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory: folder },
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await service.run();
  return {
    env: {
      ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
      BLOB_STORE: `s3://${BUCKET}/blobs?endpoint=http://127.0.0.1:${port}`,
    },
    folder,
    async remove() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
