import { dirname, join } from 'node:path'
import { explore } from '#core/files/explorers/explore.ts'
import { FileStore } from '#core/files/file-store.ts'
import { type Explore, LargeFileService } from '#core/files/large-file-service.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'

/** The folder with the large files of a test memory. */
export const filesBeside = (databasePath: string): string => join(dirname(databasePath), 'lcm-files')

type Options = { readonly root?: string; readonly explore?: Explore }

/** Keeps texts with at least this many tokens in files beside the database. */
export const largeFiles = (
  databasePath: string,
  thresholdTokens: number,
  { root = filesBeside(databasePath), explore: explored = explore }: Options = {},
): LargeFileService =>
  new LargeFileService({
    store: new FileStore(root, root === filesBeside(databasePath)),
    estimator: createTokenEstimator(),
    thresholdTokens,
    explore: explored,
  })
