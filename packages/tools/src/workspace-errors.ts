import { ToolError, WorkspaceError } from '@longhand/sdk';

/** What the workspace refuses is for the model to correct: a path that may not be read, a folder where a file was meant. */
export async function told<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof WorkspaceError) throw new ToolError(error.message);
    throw error;
  }
}
