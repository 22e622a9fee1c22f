// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

import { isInexact as func0, keepIssue } from 'jmapsmith/capability';
export const coreEchoArguments = validate0;
const schema0 = {"$id":"coreEchoArguments","type":"object","noNumber":true};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="coreEchoArguments" */;
let vErrors = null;
let errors = 0;
if(!(data && typeof data == "object" && !Array.isArray(data))){
const err0 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(func0(data)){
const err1 = {instancePath,schemaPath:"#/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const blobCopyArguments = validate1;
const schema1 = {"$id":"blobCopyArguments","type":"object","required":["fromAccountId","accountId","blobIds"],"properties":{"fromAccountId":{"type":"string"},"accountId":{"type":"string"},"blobIds":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="blobCopyArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.fromAccountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "fromAccountId"},message:"must have required property '"+"fromAccountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.accountId === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(data.blobIds === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "blobIds"},message:"must have required property '"+"blobIds"+"'"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
for(const key0 in data){
if(!(((key0 === "fromAccountId") || (key0 === "accountId")) || (key0 === "blobIds"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.fromAccountId !== undefined){
if(typeof data.fromAccountId !== "string"){
const err4 = {instancePath:instancePath+"/fromAccountId",schemaPath:"#/properties/fromAccountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err5 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
if(data.blobIds !== undefined){
let data2 = data.blobIds;
if(Array.isArray(data2)){
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
if(typeof data2[i0] !== "string"){
const err6 = {instancePath:instancePath+"/blobIds/" + i0,schemaPath:"#/properties/blobIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
}
else {
const err7 = {instancePath:instancePath+"/blobIds",schemaPath:"#/properties/blobIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
}
else {
const err8 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
validate1.errors = vErrors;
return errors === 0;
}
