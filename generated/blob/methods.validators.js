// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

import { isInexact as func0, keepIssue } from 'jmapsmith/capability';
export const blobUploadArguments = validate0;
const schema0 = {"$id":"blobUploadArguments","type":"object","required":["accountId","create"],"properties":{"accountId":{"type":"string"},"create":{"type":"object","noNumber":true,"propertyNames":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"}}},"additionalProperties":false};
const pattern0 = new RegExp("^[A-Za-z0-9_-]{1,255}$", "u");
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="blobUploadArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.create === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "create"},message:"must have required property '"+"create"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!((key0 === "accountId") || (key0 === "create"))){
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
if(data.create !== undefined){
let data1 = data.create;
if(func0(data1)){
const err4 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/noNumber",keyword:"noNumber",params:{},message:"must be object"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
for(const key1 in data1){
const _errs6 = errors;
if(typeof key1 === "string"){
if(!pattern0.test(key1)){
const err5 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\"",propertyName:key1};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames/type",keyword:"type",params:{type: "string"},message:"must be string",propertyName:key1};
vErrors = keepIssue(vErrors, err6);
errors++;
}
var valid1 = _errs6 === errors;
if(!valid1){
const err7 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/propertyNames",keyword:"propertyNames",params:{propertyName: key1},message:"property name must be valid"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
}
else {
const err8 = {instancePath:instancePath+"/create",schemaPath:"#/properties/create/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
export const blobGetArguments = validate1;
const schema1 = {"$id":"blobGetArguments","type":"object","required":["accountId","ids"],"properties":{"accountId":{"type":"string"},"ids":{"type":["array","null"],"items":{"type":"string"}},"properties":{"type":["array","null"],"items":{"type":"string"}},"offset":{"type":["integer","null"],"minimum":0,"maximum":9007199254740991},"length":{"type":["integer","null"],"minimum":0,"maximum":9007199254740991}},"additionalProperties":false};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="blobGetArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.ids === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "ids"},message:"must have required property '"+"ids"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!(((((key0 === "accountId") || (key0 === "ids")) || (key0 === "properties")) || (key0 === "offset")) || (key0 === "length"))){
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
if(data.ids !== undefined){
let data1 = data.ids;
if((!(Array.isArray(data1))) && (data1 !== null)){
const err4 = {instancePath:instancePath+"/ids",schemaPath:"#/properties/ids/type",keyword:"type",params:{type: schema1.properties.ids.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
if(typeof data1[i0] !== "string"){
const err5 = {instancePath:instancePath+"/ids/" + i0,schemaPath:"#/properties/ids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
}
}
if(data.properties !== undefined){
let data3 = data.properties;
if((!(Array.isArray(data3))) && (data3 !== null)){
const err6 = {instancePath:instancePath+"/properties",schemaPath:"#/properties/properties/type",keyword:"type",params:{type: schema1.properties.properties.type},message:"must be array,null"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
if(Array.isArray(data3)){
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
if(typeof data3[i1] !== "string"){
const err7 = {instancePath:instancePath+"/properties/" + i1,schemaPath:"#/properties/properties/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
}
}
if(data.offset !== undefined){
let data5 = data.offset;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (data5 !== null)){
const err8 = {instancePath:instancePath+"/offset",schemaPath:"#/properties/offset/type",keyword:"type",params:{type: schema1.properties.offset.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 > 9007199254740991 || isNaN(data5)){
const err9 = {instancePath:instancePath+"/offset",schemaPath:"#/properties/offset/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
if(data5 < 0 || isNaN(data5)){
const err10 = {instancePath:instancePath+"/offset",schemaPath:"#/properties/offset/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
if(data.length !== undefined){
let data6 = data.length;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (data6 !== null)){
const err11 = {instancePath:instancePath+"/length",schemaPath:"#/properties/length/type",keyword:"type",params:{type: schema1.properties.length.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 9007199254740991 || isNaN(data6)){
const err12 = {instancePath:instancePath+"/length",schemaPath:"#/properties/length/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991},message:"must be <= 9007199254740991"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
if(data6 < 0 || isNaN(data6)){
const err13 = {instancePath:instancePath+"/length",schemaPath:"#/properties/length/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
vErrors = keepIssue(vErrors, err13);
errors++;
}
}
}
}
else {
const err14 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err14);
errors++;
}
validate1.errors = vErrors;
return errors === 0;
}
export const blobLookupArguments = validate2;
const schema2 = {"$id":"blobLookupArguments","type":"object","required":["accountId","typeNames","ids"],"properties":{"accountId":{"type":"string"},"typeNames":{"type":"array","items":{"type":"string"}},"ids":{"type":"array","items":{"type":"string"}}},"additionalProperties":false};
function validate2(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="blobLookupArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.typeNames === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "typeNames"},message:"must have required property '"+"typeNames"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(data.ids === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "ids"},message:"must have required property '"+"ids"+"'"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
for(const key0 in data){
if(!(((key0 === "accountId") || (key0 === "typeNames")) || (key0 === "ids"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err4 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.typeNames !== undefined){
let data1 = data.typeNames;
if(Array.isArray(data1)){
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
if(typeof data1[i0] !== "string"){
const err5 = {instancePath:instancePath+"/typeNames/" + i0,schemaPath:"#/properties/typeNames/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
}
else {
const err6 = {instancePath:instancePath+"/typeNames",schemaPath:"#/properties/typeNames/type",keyword:"type",params:{type: "array"},message:"must be array"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
if(data.ids !== undefined){
let data3 = data.ids;
if(Array.isArray(data3)){
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
if(typeof data3[i1] !== "string"){
const err7 = {instancePath:instancePath+"/ids/" + i1,schemaPath:"#/properties/ids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
}
else {
const err8 = {instancePath:instancePath+"/ids",schemaPath:"#/properties/ids/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
validate2.errors = vErrors;
return errors === 0;
}
