import { PROVIDERS } from './providers.ts';

/** A model server that was found on this machine. */
export interface LocalModelServer {
  /** A name in PROVIDERS. */
  readonly provider: string;
  /** For people. */
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** The providers that run on the user's own machine. */
const SERVERS = Object.entries(PROVIDERS).flatMap(([provider, { localServer: name, baseUrl }]) =>
  name === undefined || baseUrl === undefined ? [] : [{ provider, name, baseUrl }],
);

/** A port where nothing listens refuses immediately. */
const PATIENCE_MS = 2_000;

/** Probes the usual ports of this machine in parallel; returns the first server in the table that offers a model. */
export async function findLocalModelServer(): Promise<LocalModelServer | null> {
  const answers = await Promise.all(
    SERVERS.map(async (server) => ({ ...server, models: await modelsAt(server.baseUrl) })),
  );
  return answers.find(({ models }) => models.length > 0) ?? null;
}

async function modelsAt(baseUrl: string): Promise<readonly string[]> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  } catch {
    return []; // nothing listens there, or something else
  }
}
