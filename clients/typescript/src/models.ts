/** What the service sends and takes, by the names of its OpenAPI document. The trap: shapes written by hand, which
 * drift; these are only other names for the generated ones. */

import type { components, operations, webhooks } from "./schema.js";

type Schemas = components["schemas"];
type Json<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;
type Known = { country_of_origin?: string | null; language?: string | null };
type Query<Name extends Operation> = operations[Name] extends { parameters: { query?: infer Asked } }
  ? NonNullable<Asked>
  : never;
type Told<Body> = Body extends { event: infer Type; timestamp: string; data: infer Data }
  ? { readonly deliveryId: string; readonly type: Type; readonly timestamp: string; readonly data: Data }
  : never;

/** The operationId of everything that the interface can do. */
export type Operation = keyof operations;

/** The answer of an operation. */
export type Answer<Name extends Operation> = operations[Name] extends { responses: infer Responses }
  ? Json<Responses[keyof Responses & (200 | 201 | 202)]>
  : never;

export type Schedule = Schemas["ScheduleName"];
export type Status = Schemas["Status"];

/** Goods as you submit them. The more is said of materials, use and make, the surer the code. */
export type ProductFields = Omit<Schemas["ProductInput"], keyof Known> & Known;
export type Product = Schemas["FullProduct"];
export type ProductWithClassifications = Answer<"get_product">;
export type Submitted = Schemas["Accepted"];
export type Classification = Schemas["ClassificationOutput"];
export type UsResult = Schemas["UsResult"];
export type EuResult = Schemas["EuResult"];
export type Batch = Schemas["FullBatch"];
export type BatchListed = Schemas["BatchOutput"];
export type Upload = Schemas["UploadOutput"];
export type Reanalysed = Schemas["AnswersAccepted"];
export type Review = Schemas["ReviewInput"];
export type QuestionAnswer = Schemas["AnswerInput"];
export type Webhook = Schemas["EndpointOutput"];
export type WebhookFields = Schemas["EndpointInput"];

/** Which classifications to list; what is left out asks for all. */
export type Filters = Omit<Query<"list_classifications">, "limit" | "cursor" | "language"> & { language?: string };

/** A verified delivery; `type` tells the shape of `data`. Deliveries repeat: do nothing for a `deliveryId` that came before. */
export type Event = Told<Json<webhooks[keyof webhooks]["post"]["requestBody"]>>;
