// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { keepIssue } from 'jmapsmith/capability';
export const update = validate0;
const schema0 = {"$id":"update","type":"object","properties":{"delete":{"type":"boolean"}},"additionalProperties":false};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="update" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "delete")){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.delete !== undefined){
if(typeof data.delete !== "boolean"){
const err1 = {instancePath:instancePath+"/delete",schemaPath:"#/properties/delete/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
}
else {
const err2 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const create = validate1;
const schema1 = {"$id":"create","$ref":"update"};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="create" */;
let vErrors = null;
let errors = 0;
if(!(validate0(data, {instancePath,parentData,parentDataProperty,rootData}))){
vErrors = vErrors === null ? validate0.errors : vErrors.concat(validate0.errors);
errors = vErrors.length;
}
validate1.errors = vErrors;
return errors === 0;
}
export const filter = validate3;
const schema2 = {"$id":"filter","type":"object","properties":{"delete":{"type":["boolean","null"]}},"additionalProperties":false};
function validate3(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="filter" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "delete")){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.delete !== undefined){
let data0 = data.delete;
if((typeof data0 !== "boolean") && (data0 !== null)){
const err1 = {instancePath:instancePath+"/delete",schemaPath:"#/properties/delete/type",keyword:"type",params:{type: schema2.properties.delete.type},message:"must be boolean,null"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
}
else {
const err2 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
validate3.errors = vErrors;
return errors === 0;
}
