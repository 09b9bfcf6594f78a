/** A model server that was found on this machine. */
export interface LocalModelServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

const USUAL_PORTS = [
  ['Ollama', 11434],
  ['LM Studio', 1234],
  ['llama.cpp', 8080],
  ['vLLM', 8000],
] as const;

/** Where nobody listens, the answer is there at once. */
const PATIENCE_MS = 2_000;

/** Asks at the usual ports of this machine, all at once; the first of the list that offers a model. */
export async function findLocalModelServer(): Promise<LocalModelServer | null> {
  const answers = await Promise.all(
    USUAL_PORTS.map(([name, port]) => ask(name, `http://127.0.0.1:${port}/v1`)),
  );
  return answers.find((answer) => answer !== null) ?? null;
}

async function ask(name: string, baseUrl: string): Promise<LocalModelServer | null> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const { data } = (await response.json()) as { data: { id: string }[] };
    const models = data.map(({ id }) => id);
    return models.length === 0 ? null : { name, baseUrl, models };
  } catch {
    return null; // nobody there, or somebody else
  }
}
