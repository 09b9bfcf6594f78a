/** Trajectories on disk: those that are read, and those that a run leaves. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Imported, readTrajectory, TrajectoryError } from '@longhand/sdk';
import {
  type ActionReplay,
  type ImportFormat,
  makeFolder,
  replayActions,
  v0Text,
} from '@longhand/sdk/internal';
import { fileFault } from '../file-fault.ts';
import { readMaterial } from '../stored/material.ts';
import { writeWholeFile } from '../stored/whole-file.ts';
import { UsageError } from '../usage-error.ts';

/** Throws UsageError that names the file, and where in it something is wrong. */
export function readTrajectoryFile(path: string, format?: ImportFormat): Imported {
  return orUsageError(path, () => readTrajectory(path, format));
}

/** Throws UsageError. */
export function readReplay(path: string): ActionReplay {
  return orUsageError(path, () => replayActions(readTrajectory(path)));
}

function orUsageError<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TrajectoryError) throw new UsageError(`${path}: ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UsageError(`${path} cannot be read: ${fileFault(error)}`);
  }
}

/** Where a run leaves its trajectory. */
export interface TrajectoryTarget {
  /** Absolute. */
  readonly path: string;
  /** A folder: the file is named after the conversation. */
  readonly isFolder: boolean;
  readonly screenshots: boolean;
}

/** As V0 takes it: a folder that is there, or else a file, whose folders are made. Throws UsageError if it cannot be written. */
export function trajectoryTarget(given: string, screenshots: boolean): TrajectoryTarget {
  const path = resolve(given);
  const isFolder = /[\\/]$/.test(given) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folder = isFolder ? path : dirname(path);
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(`the trajectory cannot be saved in ${folder}: ${(error as Error).message}`);
  }
  return { path, isFolder, screenshots };
}

/** Of a conversation that is closed. Throws UsageError if it cannot be written. */
export async function saveTrajectory(target: TrajectoryTarget, directory: string): Promise<void> {
  const material = await readMaterial(basename(directory), directory, () => undefined);
  const path = target.isFolder ? join(target.path, `${basename(directory)}.json`) : target.path;
  writeWholeFile(path, v0Text(material, { screenshots: target.screenshots }));
}
