// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

import { isInexact as func0, keepIssue } from 'jmapsmith/capability';
export const gadgetRebuildArguments = validate0;
const schema0 = {"$id":"gadgetRebuildArguments","type":"object","required":["accountId","id"],"properties":{"accountId":{"type":"string"},"id":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"},"share":{"nearest":true,"allOf":[{"type":"number","minimum":0,"maximum":1}]}},"additionalProperties":false};
const pattern0 = new RegExp("^[A-Za-z0-9_-]{1,255}$", "u");
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="gadgetRebuildArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.id === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!(((key0 === "accountId") || (key0 === "id")) || (key0 === "share"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err3 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.id !== undefined){
let data1 = data.id;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err4 = {instancePath:instancePath+"/id",schemaPath:"#/properties/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\""};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
if(data.share !== undefined){
let data2 = data.share;
if(func0(data2) && isFinite(data2.value)){
data2 = data2.value;
data["share"] = data2;
}
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1 || isNaN(data2)){
const err6 = {instancePath:instancePath+"/share",schemaPath:"#/properties/share/allOf/0/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(data2 < 0 || isNaN(data2)){
const err7 = {instancePath:instancePath+"/share",schemaPath:"#/properties/share/allOf/0/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
else {
const err8 = {instancePath:instancePath+"/share",schemaPath:"#/properties/share/allOf/0/type",keyword:"type",params:{type: "number"},message:"must be number"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
}
else {
const err9 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const gadgetRebuildResponse = validate1;
const schema1 = {"$id":"gadgetRebuildResponse","type":"object","properties":{"accountId":{"type":"string"},"rebuilt":{"type":"boolean"}},"additionalProperties":false};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="gadgetRebuildResponse" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "accountId") || (key0 === "rebuilt"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err1 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.rebuilt !== undefined){
if(typeof data.rebuilt !== "boolean"){
const err2 = {instancePath:instancePath+"/rebuilt",schemaPath:"#/properties/rebuilt/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
}
else {
const err3 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
validate1.errors = vErrors;
return errors === 0;
}
